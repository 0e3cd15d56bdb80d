import {
  BigValueColorMode,
  BigValueGraphMode,
  BigValueJustifyMode,
  BigValueTextMode,
  FieldColorModeId,
  GraphDrawStyle,
  LegendDisplayMode,
  type Panel,
  PercentChangeColorMode,
  SortOrder,
  StackingMode,
  type Threshold,
  ThresholdsMode,
  TooltipDisplayMode,
  VisibilityMode,
  VizOrientation
} from '@grafana/schema'
import type { Options as StatOptions } from '@grafana/schema/dist/esm/raw/composable/stat/panelcfg/x/StatPanelCfg_types.gen'
import {
  type FieldConfig as GraphConfig,
  type Options as GraphOptions,
  pluginVersion
} from '@grafana/schema/dist/esm/raw/composable/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen'

export const datasource = { type: 'prometheus', uid: '$datasource' }

/** The units of Grafana that the board uses. */
export type Unit = 'none' | 'short' | 'reqps' | 'ops' | 's' | 'percentunit' | 'bytes'

/** Queries by their legends. */
export type Queries = Record<string, string>

export interface Target extends Record<string, unknown> {
  expr: string
}

export interface QueryPanel extends Panel {
  targets: Target[]
}

const targets = (queries: Queries, instant: boolean): Target[] =>
  Object.entries(queries).map(([legendFormat, expr], n) => ({
    refId: String.fromCharCode(65 + n),
    datasource,
    expr,
    legendFormat,
    instant,
    range: !instant
  }))

const absolute = (...steps: Threshold[]) => ({ mode: ThresholdsMode.Absolute, steps })

/** A number: green below `warn`, orange from there, red from `alarm`. Blue without levels. */
export const number = (
  title: string,
  unit: Unit,
  expr: string,
  description: string,
  levels?: { warn: number; alarm: number }
): QueryPanel => {
  const options: StatOptions = {
    colorMode: levels ? BigValueColorMode.Background : BigValueColorMode.Value,
    graphMode: BigValueGraphMode.None,
    justifyMode: BigValueJustifyMode.Auto,
    orientation: VizOrientation.Auto,
    percentChangeColorMode: PercentChangeColorMode.Standard,
    reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
    showPercentChange: false,
    textMode: BigValueTextMode.Value,
    wideLayout: true
  }
  const steps = levels
    ? [
        { color: 'green', value: null },
        { color: 'orange', value: levels.warn },
        { color: 'red', value: levels.alarm }
      ]
    : [{ color: 'blue', value: null }]
  return {
    type: 'stat',
    title,
    description,
    datasource,
    pluginVersion,
    targets: targets({ [title]: expr }, true),
    options: { ...options },
    fieldConfig: { defaults: { unit, noValue: '–', thresholds: absolute(...steps) }, overrides: [] }
  }
}

interface Look {
  /** Stacked lines add up to a whole. */
  isStacked?: boolean
  /** A legend with many entries stands beside the graph, where there is more space for it. */
  hasLongLegend?: boolean
  /** Lines whose legend begins with a status have its colour. */
  isByStatus?: boolean
}

const statusColours = { '2': 'green', '3': 'blue', '4': 'yellow', '5': 'red' }

const colourOfStatus = Object.entries(statusColours).map(([digit, fixedColor]) => ({
  matcher: { id: 'byRegexp', options: `/^${digit}/` },
  properties: [{ id: 'color', value: { mode: FieldColorModeId.Shades, fixedColor } }]
}))

/** Lines over time. */
export const graph = (title: string, unit: Unit, queries: Queries, description: string, look: Look = {}): QueryPanel => {
  const options: GraphOptions = {
    legend: {
      showLegend: true,
      displayMode: LegendDisplayMode.Table,
      ...(look.hasLongLegend ? { placement: 'right', width: 290, calcs: ['max'] } : { placement: 'bottom', calcs: ['lastNotNull', 'max'] }),
      sortBy: 'Max',
      sortDesc: true
    },
    tooltip: { mode: TooltipDisplayMode.Multi, sort: SortOrder.Descending }
  }
  const custom: GraphConfig = {
    drawStyle: GraphDrawStyle.Line,
    lineWidth: 1,
    fillOpacity: look.isStacked ? 40 : 0,
    showPoints: VisibilityMode.Never,
    axisSoftMin: 0,
    stacking: { mode: look.isStacked ? StackingMode.Normal : StackingMode.None, group: 'A' }
  }
  return {
    type: 'timeseries',
    title,
    description,
    datasource,
    pluginVersion,
    targets: targets(queries, false),
    options: { ...options },
    fieldConfig: {
      defaults: { unit, color: { mode: FieldColorModeId.PaletteClassic }, custom: { ...custom } },
      overrides: look.isByStatus ? colourOfStatus : []
    }
  }
}
