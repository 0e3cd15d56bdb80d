import { createSocket } from 'node:dgram'
import dns from 'node:dns/promises'
import { once } from 'node:events'
import t, { type Test } from 'tap'
import { checkedAddresses, faultOf, isPublic } from '../../src/webhooks/addresses.js'

t.test('only addresses of the internet are public', t => {
  for (const address of ['8.8.8.8', '93.184.216.34', '2606:4700::1111', '::ffff:8.8.8.8', '64:ff9b::808:808'])
    t.ok(isPublic(address), address)
  for (const address of [
    ...[
      '0.0.0.0',
      '10.1.2.3',
      '100.64.0.1',
      '100.127.255.255',
      '127.0.0.1',
      '127.9.9.9',
      '169.254.169.254',
      '172.16.0.1',
      '172.31.255.255'
    ],
    ...['192.168.0.1', '198.18.0.1', '224.0.0.1', '255.255.255.255', '::', '::1', 'fe80::1', 'fc00::1', 'fd12::1', 'ff02::1'],
    ...['::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:a9fe:a9fe', '64:ff9b::a00:1', '2002:7f00:1::', 'fec0::1'],
    ...['::127.0.0.1', '::a9fe:a9fe', '::808:808', '4000::1']
  ])
    t.notOk(isPublic(address), address)
  t.end()
})

t.test('the URL of an endpoint', t => {
  const https = { isInsecure: false, isPrivate: false }
  t.equal(faultOf('https://example.com/hooks?key=1', https), undefined)
  t.equal(faultOf('http://example.com', { ...https, isInsecure: true }), undefined)
  t.equal(faultOf('https://127.0.0.1:8443', { ...https, isPrivate: true }), undefined)
  for (const url of ['ftp://example.com', 'example.com', '', 'javascript:alert(1)'])
    t.match(faultOf(url, https), /is not an https URL/, url)
  t.match(faultOf('http://example.com', https), /--insecure/)
  for (const url of ['https://me@example.com', 'https://:secret@example.com']) t.match(faultOf(url, https), /user name or a password/, url)
  for (const url of [
    ...['https://127.0.0.1', 'https://2130706433', 'https://0x7f.1', 'https://0177.0.0.1', 'https://127.1', 'https://[::1]', 'https://0'],
    ...[
      'https://[::ffff:127.0.0.1]',
      'https://[::127.0.0.1]',
      'https://[fe80::1]',
      'https://localhost',
      'https://LOCALHOST.',
      'https://a.localhost',
      'https://10.0.0.1'
    ]
  ])
    t.match(faultOf(url, https), /--private/, url)
  t.end()
})

/** A name server that knows these names. It says nothing about others that begin with `late`, and that there are no more. */
const nameServer = async (t: Test, names: Record<string, string>) => {
  const socket = createSocket('udp4')
  let questions = 0
  socket.on('message', (message, { port, address }) => {
    questions++
    const end = message.indexOf(0, 12) + 5
    const labels: string[] = []
    for (let at = 12; message[at] !== 0; at += Number(message[at]) + 1)
      labels.push(message.toString('latin1', at + 1, at + 1 + Number(message[at])))
    const name = labels.join('.')
    if (name.startsWith('broken'))
      return socket.send(Buffer.concat([message.subarray(0, 2), Buffer.from([0x81, 0x82]), message.subarray(4, end)]), port, address)
    const known = message.readUInt16BE(end - 4) === 1 ? names[name] : undefined
    const flags = Buffer.from([0x81, name in names ? 0x80 : 0x83, 0, 1, 0, known ? 1 : 0, 0, 0, 0, 0])
    const answer = known
      ? Buffer.concat([Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4]), Buffer.from(known.split('.').map(Number))])
      : Buffer.alloc(0)
    return socket.send(Buffer.concat([message.subarray(0, 2), flags, message.subarray(12, end), answer]), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const before = dns.getServers()
  dns.setServers([`127.0.0.1:${socket.address().port}`])
  t.teardown(() => {
    dns.setServers(before)
    socket.close()
  })
  return { asked: () => questions }
}

t.test('addresses are checked after their name was resolved', async t => {
  const names = await nameServer(t, { 'hooks.example.com': '93.184.216.34', 'inside.example.com': '10.0.0.7' })
  const addressesOf = async (url: string, isPrivate = false) =>
    (await checkedAddresses(new URL(url), isPrivate)).map(({ address }) => address)
  t.strictSame(await addressesOf('https://hooks.example.com/'), ['93.184.216.34'])
  t.strictSame(await addressesOf('https://hooks.example.com./'), ['93.184.216.34'])
  const asked = names.asked()
  t.strictSame(await addressesOf('https://hooks.example.com/'), ['93.184.216.34'])
  t.equal(names.asked(), asked, 'a name is asked for once a second')
  await t.rejects(addressesOf('https://inside.example.com'), { message: 'inside.example.com has the private address 10.0.0.7' })
  t.strictSame(await addressesOf('https://inside.example.com', true), ['10.0.0.7'])
  t.strictSame(await addressesOf('https://8.8.8.8/'), ['8.8.8.8'])
  t.strictSame(await addressesOf('https://[2606:4700::1111]/'), ['2606:4700::1111'])
  await t.rejects(addressesOf('https://127.0.0.1/'), /private address/)
  t.strictSame(await addressesOf('https://localhost/', true), ['127.0.0.1', '::1'])
  await t.rejects(addressesOf('https://localhost/'), /private address/)
  await t.rejects(addressesOf('https://nobody.invalid/'), { code: 'ENOTFOUND' }, 'neither the name servers nor the system know it')
  await t.rejects(addressesOf('https://broken.example.com/'), { code: 'ESERVFAIL' })
})
