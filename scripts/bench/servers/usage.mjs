// Loaded into every measured process before its own code. Reports its resource usage on request.
process.on('message', question => {
  if (question === 'usage') process.send?.({ ...process.cpuUsage(), rss: process.memoryUsage.rss() })
})
process.channel?.unref()
