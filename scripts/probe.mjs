// Loaded into every server of the benchmark and the soak before its own code. Reports the server's resource use on request, and exits with
// its parent. Processes that the service forks also load this file, but must receive their messages themselves.
if (!/-child\.\w+$/.test(process.argv[1])) {
  process.on('message', question => {
    if (question !== 'usage') return
    process.send?.({ ...process.cpuUsage(), rss: process.memoryUsage.rss(), resources: process.getActiveResourcesInfo() })
  })
  process.on('disconnect', () => process.exit())
  process.channel?.unref()
}
