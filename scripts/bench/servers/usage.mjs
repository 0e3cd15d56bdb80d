// Loaded into every measured process before its own code: tells what it has used when it is asked.
process.on('message', question => {
  if (question === 'usage') process.send?.({ ...process.cpuUsage(), rss: process.memoryUsage.rss() })
})
process.channel?.unref()
