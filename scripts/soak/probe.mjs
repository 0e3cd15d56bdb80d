// Loaded into every service of the soak before its own code. Reports memory and open handles on request, and exits with its parent.
// Training processes that the service forks also load this file, but must receive their messages themselves.
if (process.argv[1]?.endsWith('server.js')) {
  process.on('message', question => {
    if (question === 'holds') process.send?.({ rss: process.memoryUsage.rss(), resources: process.getActiveResourcesInfo() })
  })
  process.on('disconnect', () => process.exit())
  process.channel?.unref()
}
