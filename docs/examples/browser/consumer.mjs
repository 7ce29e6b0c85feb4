// A consumer for the browser and for Node 22: connects, takes jobs as they come due, acks them, and reconnects.

const LONGEST_WAIT = 10_000;

/**
 * Hands a topic's jobs to `work` until the function it returns is called. A job is acked when `work` returns or its
 * promise resolves, and nacked with the error's message when it fails. Work must bear a job that comes twice.
 *
 * @param url      such as ws://127.0.0.1:9277/v1/ws
 * @param work     called with {id, body, attempt, due, ...}
 * @param onState  called with "connected" and "disconnected"
 */
export function consume({ url, topic, prefetch = 10, work, onState = () => {} }) {
  let socket;
  let wait = 100;
  let timer;
  let over = false;

  function connect() {
    const ws = (socket = new WebSocket(url));
    const send = (message) => ws.readyState === WebSocket.OPEN && ws.send(JSON.stringify({ topic, ...message }));

    ws.onopen = () => send({ op: "subscribe", prefetch });
    ws.onmessage = ({ data }) => {
      const message = JSON.parse(data);
      if (message.op === "subscribed") {
        wait = 100;
        onState("connected");
      } else if (message.op === "jobs") {
        message.jobs.forEach(async (job) => send(await settled(job)));
      } else if (message.op === "error") {
        console.error(message.problem.detail);
      }
    };
    // Whatever was not settled is given out again by the server. When it cannot connect, Node 22 says error and not
    // close; browsers say both.
    let lost = false;
    ws.onerror = ws.onclose = () => {
      if (over || lost) return;
      lost = true;
      onState("disconnected");
      timer = setTimeout(connect, wait * (0.5 + Math.random() / 2));
      wait = Math.min(2 * wait, LONGEST_WAIT);
    };
  }

  async function settled({ lease, ...job }) {
    try {
      await work(job);
      return { op: "ack", jobs: [{ id: job.id, lease }] };
    } catch (error) {
      return { op: "nack", jobs: [{ id: job.id, lease, error: String(error?.message ?? error) }] };
    }
  }

  connect();
  return () => {
    over = true;
    clearTimeout(timer);
    socket.close();
  };
}
