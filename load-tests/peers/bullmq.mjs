// BullMQ's part of the load tests. Reads one JSON object a line, does what it says, answers with one line:
// "count <n>" now and then, "began" and "ended" around what is timed, "done <numbers>" at the end, "failed <why>" instead of that.
// BullMQ is a library: what a server does elsewhere is done in this process and in Redis.
import { createInterface } from 'node:readline'
import { performance } from 'node:perf_hooks'
import { Queue, Worker } from 'bullmq'

const port = Number(process.argv[2])
const connection = { host: '127.0.0.1', port, maxRetriesPerRequest: null }
// 100 bytes of JSON; the number is patched in with the same width
const body = (n) => ({ n: 10000000 + n, text: 'x'.repeat(100 - '{"n":10000000,"text":""}'.length) })
const number = (job) => job.data.n - 10000000
const say = (...words) => process.stdout.write(words.join(' ') + '\n')
const now = () => performance.timeOrigin + performance.now()

async function queues(name, count) {
  const all = Array.from({ length: count }, () =>
    new Queue(name, { connection, defaultJobOptions: { removeOnComplete: true, removeOnFail: true } }))
  await Promise.all(all.map((q) => q.waitUntilReady()))
  return all
}

async function pushAll(all, { jobs, batch, delay }) {
  let next = 0
  let stored = 0
  let told = now()
  await Promise.all(all.map(async (queue) => {
    while (next < jobs) {
      const first = next
      next += batch
      if (batch === 1) {
        await queue.add('j', body(first), { delay })
      } else {
        await queue.addBulk(Array.from({ length: batch }, (_, i) =>
          ({ name: 'j', data: body(first + i), opts: { delay } })))
      }
      stored += batch
      if (now() - told > 200) {
        told = now()
        say('count', stored)
      }
    }
  }))
}

async function push(order) {
  const all = await queues(order.queue, order.connections)
  say('began')
  const began = now()
  await pushAll(all, order)
  const seconds = (now() - began) / 1000
  say('ended')
  const counts = await all[0].getJobCounts('delayed', 'waiting')
  await Promise.all(all.map((q) => q.close()))
  if (counts.delayed + counts.waiting !== order.jobs) {
    throw new Error(`expected ${order.jobs} jobs, found ${counts.delayed + counts.waiting}`)
  }
  return [seconds]
}

// Resolves when as many were worked on as expected; `each` sees every job once.
function take(order, each) {
  const seen = new Uint8Array(order.jobs)
  let count = 0
  let told = now()
  const workers = []
  let began
  const done = new Promise((resolve, reject) => {
    for (let i = 0; i < order.connections; i++) {
      const worker = new Worker(order.queue, async (job) => {
        const n = number(job)
        if (seen[n]) reject(new Error(`job ${n} came twice`))
        seen[n] = 1
        each(n, job)
      }, { connection, concurrency: order.concurrency, autorun: false, removeOnComplete: { count: 0 } })
      worker.on('completed', () => {
        if (++count === order.jobs) resolve((now() - began) / 1000)
        else if (now() - told > 200) {
          told = now()
          say('count', count)
        }
      })
      worker.on('error', reject)
      workers.push(worker)
    }
  })
  const ready = Promise.all(workers.map((w) => w.waitUntilReady())).then(() => {
    began = now()
    workers.forEach((w) => void w.run())
  })
  return { ready, done, close: () => Promise.all(workers.map((w) => w.close())) }
}

async function drain(order) {
  const all = await queues(order.queue, order.connections)
  await pushAll(all, { ...order, batch: 100, delay: order.delay ?? 0 })
  const taking = take(order, () => {})
  say('began')
  await taking.ready
  const seconds = await taking.done
  say('ended')
  await taking.close()
  await Promise.all(all.map((q) => q.close()))
  return [seconds]
}

// Meant times are on the clock that both processes share.
async function paceTake(order) {
  const arrived = new Float64Array(order.jobs)
  const taking = take(order, (n) => { arrived[n] = now() })
  await taking.ready
  say('ready')
  await taking.done
  await taking.close()
  return Array.from(arrived, (t) => t.toFixed(3))
}

async function pacePush(order) {
  const all = await queues(order.queue, order.connections)
  const began = now() + 100
  const idle = [...all]
  const waiting = []
  const sent = new Float64Array(order.jobs)
  let next = 0
  let stored = 0
  await new Promise((resolve, reject) => {
    const send = () => {
      while (waiting.length && idle.length) {
        const n = waiting.shift()
        const queue = idle.pop()
        sent[n] = now()
        queue.add('j', body(n), { delay: order.delays[n % order.delays.length] }).then(() => {
          idle.push(queue)
          if (++stored === order.jobs) resolve()
          else send()
        }, reject)
      }
    }
    const tick = () => {
      while (next < order.jobs && began + next * 1000 / order.perSecond <= now()) waiting.push(next++)
      send()
      if (next < order.jobs) setTimeout(tick, 1)
    }
    tick()
  })
  await Promise.all(all.map((q) => q.close()))
  return [began.toFixed(3), ...Array.from(sent, (t) => t.toFixed(3))]
}

const orders = { push, drain, paceTake, pacePush }
for await (const line of createInterface({ input: process.stdin })) {
  try {
    const order = JSON.parse(line)
    say('done', ...await orders[order.op](order))
  } catch (e) {
    say('failed', String(e?.message ?? e).replaceAll('\n', ' '))
  }
}
process.exit(0)
