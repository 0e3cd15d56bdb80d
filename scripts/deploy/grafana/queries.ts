import { rows } from './rows.js'

/** What Grafana puts in place of the variables of the board while all instances and routes are selected. */
export const withVariables = (expr: string, rateInterval: string) =>
  expr.replaceAll('$__rate_interval', rateInterval).replaceAll('$instance', '.+').replaceAll('$route', '.+')

/** Every query of the board, as Grafana sends it. */
export const boardQueries = (rateInterval: string) =>
  rows
    .flatMap(({ panels }) => panels)
    .flatMap(({ targets }) => targets)
    .map(({ expr }) => withVariables(expr, rateInterval))
