import { board } from './board.js'

/** What Grafana puts in place of the variables of the board while all instances and routes are selected. */
export const withVariables = (expr: string, rateInterval: string) =>
  expr.replaceAll('$__rate_interval', rateInterval).replaceAll('$instance', '.+').replaceAll('$route', '.+')

/** Every query of the board, as Grafana sends it. */
export const boardQueries = (rateInterval: string) =>
  (board.panels ?? [])
    .flatMap(panel => ('targets' in panel ? (panel.targets ?? []) : []))
    .map(({ expr }) => withVariables(String(expr), rateInterval))
