// Loaded into every service of the soak before its own code: tells what it holds when it is asked, and leaves with its parent.
// A training that the service forks loads it too, and must get its order itself.
if (process.argv[1]?.endsWith('server.js')) {
  process.on('message', question => {
    if (question === 'holds') process.send?.({ rss: process.memoryUsage.rss(), resources: process.getActiveResourcesInfo() })
  })
  process.on('disconnect', () => process.exit())
  process.channel?.unref()
}
