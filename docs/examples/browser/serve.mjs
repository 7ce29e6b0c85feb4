// Serves this directory, and passes /v1 on to delayq: page and WebSocket then have one origin, and delayq takes no other.
//   node serve.mjs
// PORT        where the page is, 8080 if not set
// DELAYQ_URL  the server
import { createReadStream } from "node:fs";
import { createServer, request } from "node:http";
import { connect } from "node:net";

const port = process.env.PORT ?? 8080;
const delayq = new URL(process.env.DELAYQ_URL ?? "http://127.0.0.1:9277");
const files = {
  "/": ["index.html", "text/html; charset=utf-8"],
  "/consumer.mjs": ["consumer.mjs", "text/javascript; charset=utf-8"],
};

const server = createServer((incoming, answer) => {
  const { pathname } = new URL(incoming.url, "http://localhost");
  if (pathname.startsWith("/v1/")) return pass(incoming, answer);
  const [file, type] = files[pathname] ?? [];
  if (!file) return answer.writeHead(404).end();
  answer.writeHead(200, { "Content-Type": type });
  createReadStream(new URL(file, import.meta.url)).pipe(answer);
});

// Headers go through as they are, Host among them, which delayq compares with Origin.
function pass(incoming, answer) {
  const { method, url, headers } = incoming;
  const call = request(delayq, { method, path: url, headers }, (reply) => {
    answer.writeHead(reply.statusCode, reply.headers);
    reply.pipe(answer);
  });
  call.on("error", () => answer.headersSent || answer.writeHead(502).end());
  incoming.pipe(call);
}

// A WebSocket: say the same to delayq, and join the two ends.
server.on("upgrade", ({ method, url, rawHeaders }, browser, head) => {
  const backend = connect(delayq.port || 80, delayq.hostname);
  const lines = rawHeaders.map((text, i) => (i % 2 ? `${text}\r\n` : `${text}: `));
  backend.write(`${method} ${url} HTTP/1.1\r\n${lines.join("")}\r\n`);
  backend.write(head);
  browser.pipe(backend).pipe(browser);
  browser.on("error", () => backend.destroy());
  backend.on("error", () => browser.destroy());
});

server.listen(port, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/`));
