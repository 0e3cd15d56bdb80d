import {
  type Dashboard,
  DashboardCursorSync,
  defaultDashboard,
  type GridPos,
  type RowPanel,
  type VariableModel,
  VariableRefresh,
  VariableSort
} from '@grafana/schema'
import { datasource, type QueryPanel } from './panels.js'
import { type Row, rows } from './rows.js'

const columns = 24

/** A variable with the values of a label, of which all or several can be selected. */
const labelVariable = (name: string, metric: string): VariableModel => ({
  type: 'query',
  name,
  label: name,
  datasource,
  query: { qryType: 1, query: `label_values(${metric}{job="viewer"},${name})`, refId: name },
  current: { text: 'All', value: '$__all' },
  includeAll: true,
  // Without it, Grafana would list every value in every query.
  allValue: '.+',
  multi: true,
  refresh: VariableRefresh.onTimeRangeChanged,
  sort: VariableSort.alphabeticalAsc
})

type Placed = (QueryPanel | RowPanel) & { gridPos: GridPos }

/** Places the panels of a row below its title, side by side: all if they are low, else two or three in a line. */
const placed = ({ title, height, panels }: Row, top: number): Placed[] => {
  const perLine = height < 6 ? panels.length : panels.length % 3 === 0 ? 3 : 2
  const width = columns / perLine
  return [
    { type: 'row', id: 0, title, collapsed: false, panels: [], gridPos: { x: 0, y: top, w: columns, h: 1 } },
    ...panels.map((panel, n) => ({
      ...panel,
      gridPos: { x: (n % perLine) * width, y: top + 1 + Math.floor(n / perLine) * height, w: width, h: height }
    }))
  ]
}

const bottomOf = (panels: Placed[]) => Math.max(0, ...panels.map(({ gridPos }) => gridPos.y + gridPos.h))

const allPlaced = () => {
  const all: Placed[] = []
  for (const row of rows) all.push(...placed(row, bottomOf(all)))
  return all.map((panel, n) => ({ ...panel, id: n + 1 }))
}

export const panels = allPlaced()

const board: Dashboard = {
  ...defaultDashboard,
  uid: 'viewer',
  title: 'Viewer',
  description: 'The processes of the service. Prometheus must scrape them in a job named viewer.',
  tags: ['viewer'],
  editable: true,
  graphTooltip: DashboardCursorSync.Crosshair,
  time: { from: 'now-3h', to: 'now' },
  refresh: '30s',
  templating: {
    list: [
      { type: 'datasource', name: 'datasource', label: 'data source', query: 'prometheus', refresh: VariableRefresh.onDashboardLoad },
      labelVariable('instance', 'catalogue_contents'),
      labelVariable('route', 'http_request_duration_seconds_count')
    ]
  },
  panels
}

/** What Grafana imports. */
export const boardDocument = `${JSON.stringify(board, null, 2)}\n`
