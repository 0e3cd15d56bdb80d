export const stopSignals = ['SIGTERM', 'SIGINT'] as const
