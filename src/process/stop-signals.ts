/** What tells a process to stop. */
export const stopSignals = ['SIGTERM', 'SIGINT'] as const
