export const ofJob = 'job="viewer",instance=~"$instance"'
/** Probes and scrapes are no traffic. */
export const ofRoutes = `${ofJob},route=~"$route",route!~".*/(health|ready|metrics)"`
export const answers = (more = '') => `rate(http_request_duration_seconds_count{${ofRoutes}${more}}[$__rate_interval])`
export const checks = (more = '') => `rate(http_request_duration_seconds_count{${ofJob},route=~".*/ready"${more}}[$__rate_interval])`
export const perSecond = (metric: string, labels = ofJob) => `rate(${metric}{${labels}}[$__rate_interval])`
export const quantile = (share: number, metric: string, labels: string, by: string) =>
  `histogram_quantile(${share}, sum by (le, ${by}) (${perSecond(`${metric}_bucket`, labels)}))`
export const latency = (share: number) => quantile(share, 'http_request_duration_seconds', ofRoutes, 'method, route')
export const failures = `(sum(${answers(',status=~"5.."')}) or vector(0)) / sum(${answers()})`
