import { MongoClient } from 'mongodb'
import { readFileSync } from 'node:fs'
import { filesOf } from '../src/import/sources.js'
import { batchesOf, parsed } from '../src/import/records.js'
import { faultsOf } from '../src/import/validation.js'
import { kindsOf } from '../src/import/kinds/index.js'
import { KnownIds } from '../src/import/known-ids.js'
import { ensureIndexes } from '../src/data/index.js'
const client = await MongoClient.connect(process.argv[2]!)
const pid = Number((await client.db('admin').command({ serverStatus: 1 })).pid)
const serverCpu = () => { const f = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' '); return (Number(f[11]) + Number(f[12])) * 10 }
const { sources } = await filesOf([process.argv[3]!])
const s = sources[0]!
for (let round = 0; round < 2; round++) {
const db = client.db('prof'); await db.dropDatabase(); await ensureIndexes(db)
const t: Record<string, [number, number, number]> = {}
let last = [performance.now(), process.cpuUsage(), serverCpu()] as const
const lap = (n: string) => { const now = [performance.now(), process.cpuUsage(), serverCpu()] as const; const e = t[n] ??= [0, 0, 0]; e[0] += now[0] - last[0]; e[1] += (now[1].user + now[1].system - last[1].user - last[1].system) / 1000; e[2] += now[2] - last[2]; last = now }
for await (const b of batchesOf(s)) { lap('read'); for (const p of b.pieces) parsed(p); lap('parse'); for (const p of b.pieces) faultsOf('contents', JSON.parse((p as any).text)); lap('parse+validate') }
const run = { db, issuer: undefined, pruned: new Set<any>(), ids: { users: new KnownIds(db, 'users'), terms: new KnownIds(db, 'terms'), contents: new KnownIds(db, 'contents') } }
const kind = kindsOf(run as any).contents
let docs: any[] = []
for await (const b of batchesOf(s)) {
  const recs = b.pieces.map(p => JSON.parse((p as any).text)); lap('x')
  await kind.check(recs.map((record, i) => ({ record, place: i })), () => {}); lap('check')
  const ops = await kind.operations(recs); lap('operations')
  if (ops.length) await db.collection('contents').bulkWrite(ops as any, { ordered: false, writeConcern: { w: 'majority' } }); lap('bulk')
}
await kind.checkAll!(() => {}); lap('checkAll')
docs = await db.collection('contents').find().toArray(); await db.collection('bare').createIndexes([{ key: { words: 1 } }, { key: { stamp: 1 } }]); lap('x')
for (let i = 0; i < docs.length; i += 1000) { await db.collection('bare').bulkWrite(docs.slice(i, i + 1000).map(document => ({ insertOne: { document } })), { ordered: false, writeConcern: { w: 'majority' } }) } lap('bare')
console.log('wall cpu servercpu\n' + Object.entries(t).map(([k, v]) => `${k.padEnd(16)} ${v.map(x => String(Math.round(x)).padStart(7)).join('')}`).join('\n'))
}
await client.close()
