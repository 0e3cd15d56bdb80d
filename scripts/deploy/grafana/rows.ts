import { answers, checks, failures, latency, ofJob, ofRoutes, perSecond, quantile } from './expressions.js'
import { graph, number, type QueryPanel } from './panels.js'

export interface Row {
  title: string
  height: number
  panels: QueryPanel[]
}

const now: Row = {
  title: 'Now',
  height: 4,
  panels: [
    number('Processes', 'none', `sum(up{${ofJob}})`, 'Processes that Prometheus reaches.'),
    number('Requests', 'reqps', `sum(${answers()})`, 'Requests per second, without probes.'),
    number('5xx', 'percentunit', failures, 'Share of the responses that are a 5xx.', { warn: 0.001, alarm: 0.05 }),
    number(
      'p99',
      's',
      `histogram_quantile(0.99, sum by (le) (rate(http_request_duration_seconds_bucket{${ofRoutes}}[$__rate_interval])))`,
      '99 of 100 requests are faster.',
      { warn: 0.25, alarm: 0.5 }
    ),
    number(
      'Catalogue unchecked',
      's',
      `max(catalogue_unchecked_seconds{${ofJob}})`,
      'After 60 s, a process refuses to serve the catalogue.',
      {
        warn: 10,
        alarm: 60
      }
    ),
    number('Oldest model', 's', `max(recommendation_model_age_seconds{${ofJob}})`, 'The age of the oldest recommendation model in use.')
  ]
}

const traffic: Row = {
  title: 'Traffic',
  height: 9,
  panels: [
    graph('Requests by route', 'reqps', { '{{method}} {{route}}': `sum by (method, route) (${answers()})` }, 'Without probes.', {
      isStacked: true,
      hasLongLegend: true
    }),
    graph('Responses by status', 'reqps', { '{{status}}': `sum by (status) (${answers()})` }, 'Without probes.', {
      isStacked: true,
      hasLongLegend: true,
      isByStatus: true
    })
  ]
}

const latencies: Row = {
  title: 'Latency by route',
  height: 10,
  panels: [
    graph(
      'p99',
      's',
      { '{{method}} {{route}}': latency(0.99) },
      'Logins hash a password, and an import reads as long as its caller sends.',
      {
        hasLongLegend: true
      }
    ),
    graph('Median', 's', { '{{method}} {{route}}': latency(0.5) }, 'Half of the requests are faster.', { hasLongLegend: true })
  ]
}

const errors: Row = {
  title: 'Errors and refusals',
  height: 9,
  panels: [
    graph(
      'Errors by route',
      'reqps',
      { '{{status}} {{method}} {{route}}': `sum by (status, method, route) (${answers(',status=~"5.."')})` },
      'A 503 is safe to repeat. Every other 5xx is in the log at level error.',
      { hasLongLegend: true }
    ),
    graph(
      'Mistakes of callers',
      'reqps',
      { '{{status}}': `sum by (status) (${answers(',status=~"4.."')})` },
      '401: no valid token. 429: over a limit.',
      { hasLongLegend: true }
    ),
    graph(
      'Refused by reason',
      'reqps',
      { '{{reason}}': `sum by (reason) (${perSecond('http_refused_total')})` },
      'user_limit and address_limit are callers over their rate (429). The others are overload (503).',
      { hasLongLegend: true }
    ),
    graph(
      'Not ready',
      'percentunit',
      { '{{instance}}': `sum by (instance) (${checks(',status="503"')}) / sum by (instance) (${checks()})` },
      'Share of the checks of /ready that were refused, if something checks it. Empty if every check succeeded.'
    )
  ]
}

const database: Row = {
  title: 'Database',
  height: 9,
  panels: [
    graph(
      'p99 by operation',
      's',
      { '{{kind}} {{collection}}': quantile(0.99, 'mongodb_operation_duration_seconds', ofJob, 'kind, collection') },
      'Counting popular titles and reading a model take longer than what viewers wait for.',
      { hasLongLegend: true }
    ),
    graph(
      'Operations',
      'ops',
      { '{{kind}} {{collection}}': `sum by (kind, collection) (${perSecond('mongodb_operation_duration_seconds_count')})` },
      'Operations per second.',
      { isStacked: true, hasLongLegend: true }
    ),
    graph(
      'Waiting',
      'short',
      {
        'requests {{instance}}': `http_requests_waiting{${ofJob}}`,
        'operations without a connection {{instance}}': `mongodb_pool_waiting{${ofJob}}`
      },
      'Requests in progress, most of them waiting for the database. Above MAX_WAITING, requests are refused.'
    ),
    graph(
      'Connections',
      'short',
      { 'open {{instance}}': `mongodb_pool_open{${ofJob}}`, 'in use {{instance}}': `mongodb_pool_in_use{${ofJob}}` },
      'At most DATABASE_CONNECTIONS for each member of the database.'
    )
  ]
}

const catalogue: Row = {
  title: 'Catalogue',
  height: 8,
  panels: [
    graph('Contents', 'short', { '{{instance}}': `catalogue_contents{${ofJob}}` }, 'In memory, including deleted ones.'),
    graph('Unchecked', 's', { '{{instance}}': `catalogue_unchecked_seconds{${ofJob}}` }, 'Since the last check for changes.'),
    graph(
      'Hits of the content cache',
      'percentunit',
      {
        '{{instance}}': `${perSecond('catalogue_cache_lookups_total', `${ofJob},result="hit"`)} / ignoring(result) sum without (result) (${perSecond('catalogue_cache_lookups_total')})`
      },
      'If it is low and the database is busy, raise CONTENT_CACHE_MB.'
    )
  ]
}

const recommendations: Row = {
  title: 'Recommendations',
  height: 8,
  panels: [
    graph(
      'Age of the model',
      's',
      {
        '{{instance}}': `recommendation_model_age_seconds{${ofJob}}`,
        'trained again at': `max(recommendation_training_interval_seconds{${ofJob}})`
      },
      'No line without a model. `trained again at` is missing if the service does not train.'
    ),
    graph(
      'Recommendations begun within a day',
      'percentunit',
      {
        '{{reason}}': `sum by (reason) (increase(recommendations_begun_total{${ofJob}}[1d])) / sum by (reason) (increase(recommendations_shown_total{${ofJob}}[1d]))`
      },
      'Share of the titles that were recommended in the last 24 hours, by reason. Each process knows only what it recommended itself.'
    )
  ]
}

const imports: Row = {
  title: 'Imports over HTTP',
  height: 8,
  panels: [
    graph(
      'Imports',
      'short',
      { '{{status}} {{file}}': `sum by (status, file) (increase(imports_total{${ofJob}}[$__rate_interval])) > 0` },
      '400: lines are wrong. 409: another import was running. docs/catalogue.md explains each status.',
      { isByStatus: true }
    ),
    graph(
      'Duration of the last import',
      's',
      { '{{file}} {{instance}}': `import_duration_seconds{${ofJob}}` },
      'Of the last successful import over HTTP in each process, including its upload.'
    )
  ]
}

const signIns: Row = {
  title: 'Sign-ins and sessions',
  height: 8,
  panels: [
    graph(
      'Sign-ins',
      'reqps',
      { '{{status}} {{route}}': `sum by (status, route) (${answers(',method="POST",route=~".*/login(/device(/token)?)?"')})` },
      'With a password, and with the code of a device. 400 of /login/device/token: devices that wait for approval ask every 5 s. 401 of /login: wrong passwords. 429: over a limit.',
      { isByStatus: true, hasLongLegend: true }
    ),
    graph(
      'Ended sessions',
      'short',
      { '{{instance}}': `ended_sessions{${ofJob}}` },
      'In memory until their access tokens have expired. Every process has as many, those that have just started too.'
    )
  ]
}

const processes: Row = {
  title: 'Processes',
  height: 8,
  panels: [
    graph(
      'Processor',
      'percentunit',
      { '{{instance}}': perSecond('process_cpu_seconds_total') },
      'Of one core. A process that comes close to 100 % needs another one beside it.'
    ),
    graph(
      'Memory',
      'bytes',
      {
        'resident {{instance}}': `process_resident_memory_bytes{${ofJob}}`,
        'heap {{instance}}': `nodejs_heap_size_used_bytes{${ofJob}}`,
        'kept {{instance}}': `kept_bytes{${ofJob}}`
      },
      'Kept are the bounded caches. If memory grows beyond them, the cause is the catalogue or a leak.'
    ),
    graph(
      'Event loop delay, p99',
      's',
      { '{{instance}}': `nodejs_eventloop_lag_p99_seconds{${ofJob}}` },
      'Above MAX_EVENT_LOOP_DELAY, requests are refused.'
    ),
    graph(
      'Garbage collection',
      'percentunit',
      { '{{instance}} {{kind}}': perSecond('nodejs_gc_duration_seconds_sum') },
      'Share of the time.'
    ),
    graph('Uptime', 's', { '{{instance}}': `time() - process_start_time_seconds{${ofJob}}` }, 'A line that falls to 0 is a restart.'),
    graph('Open files', 'short', { '{{instance}}': `process_open_fds{${ofJob}}` }, 'Every connection is a file.')
  ]
}

export const rows = [now, traffic, latencies, errors, database, catalogue, recommendations, imports, signIns, processes]
