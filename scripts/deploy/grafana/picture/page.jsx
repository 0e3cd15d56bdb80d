import { applyFieldOverrides, createTheme, dateTime, FieldConfigOptionsRegistry, FieldType, toDataFrame } from '@grafana/data'
import { BigValue, GlobalStyles, PanelChrome, ThemeContext, TimeSeries } from '@grafana/ui'
import { createRoot } from 'react-dom/client'

// The board as Grafana draws it: its components, its units, its colours, and its grid of 24 columns.
const { began, ended, panels, width } = globalThis.board
const theme = createTheme({ colors: { mode: 'light' } })
const timeZone = 'utc'
const timeRange = { from: dateTime(began * 1000), to: dateTime(ended * 1000) }
const column = width / 24
const row = 38
const gap = 8

/** Lets Grafana apply whatever a panel sets, as its own registry of options does. */
const registryFor = ({ defaults, overrides }) => {
  const own = Object.keys(defaults.custom ?? {}).map(path => ({ id: `custom.${path}`, path, isCustom: true }))
  const overridden = overrides.flatMap(({ properties }) => properties.map(({ id }) => id))
  const standard = [...new Set([...Object.keys(defaults), ...overridden])].filter(id => id !== 'custom').map(id => ({ id, path: id }))
  const options = [...own, ...standard].map(option => ({ ...option, name: option.id, process: value => value, shouldApply: () => true }))
  return new FieldConfigOptionsRegistry(() => options)
}

const legendOf = (format, labels) => format.replace(/{{(\w+)}}/g, (_, name) => labels[name] ?? '')
const numberOf = value => (Number.isFinite(Number(value)) ? Number(value) : null)

const framesOf = ({ panel: { targets, fieldConfig }, results }) => {
  const frames = results.flatMap((found, n) =>
    found.map(({ metric, values }) => {
      const config = { displayNameFromDS: legendOf(targets[n].legendFormat, metric) }
      const times = { name: 'Time', type: FieldType.time, values: values.map(([time]) => time * 1000), config: {} }
      const numbers = { name: 'Value', type: FieldType.number, labels: metric, values: values.map(([, value]) => numberOf(value)), config }
      return toDataFrame({ refId: targets[n].refId, fields: [times, numbers] })
    })
  )
  const fieldConfigRegistry = registryFor(fieldConfig)
  return applyFieldOverrides({ data: frames, fieldConfig, fieldConfigRegistry, replaceVariables: text => text, theme, timeZone })
}

const Content = ({ shown, ...size }) => {
  const { type, options } = shown.panel
  const frames = framesOf(shown)
  if (frames.length === 0) return 'No data'
  if (type === 'timeseries') {
    const rest = { timeRange, timeZone, legend: options.legend, options }
    return <TimeSeries frames={frames} {...rest} {...size} />
  }
  const [, field] = frames[0].fields
  return <BigValue theme={theme} value={field.display(field.values.findLast(value => value !== null))} {...options} {...size} />
}

const Place = ({ shown }) => {
  const { title, type, gridPos } = shown.panel
  const size = { width: gridPos.w * column - gap, height: gridPos.h * row - gap }
  const style = { position: 'absolute', left: gridPos.x * column + gap / 2, top: gridPos.y * row + gap, ...size }
  if (type === 'row') return <div style={{ ...style, font: `500 16px ${theme.typography.fontFamily}` }}>{title}</div>
  return (
    <div style={style}>
      <PanelChrome title={title} {...size}>
        {(innerWidth, innerHeight) => <Content shown={shown} width={innerWidth} height={innerHeight} />}
      </PanelChrome>
    </div>
  )
}

createRoot(document.getElementById('board')).render(
  <ThemeContext.Provider value={theme}>
    <GlobalStyles />
    {panels.map(shown => (
      <Place key={shown.panel.id} shown={shown} />
    ))}
  </ThemeContext.Provider>
)
