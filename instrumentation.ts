// Next calls this once before it serves: a faulty setting stops the start.
export async function register(): Promise<void> {
  if (process.env['NEXT_RUNTIME'] === 'edge') return;
  const { settings } = await import('#lib/settings/index.ts');
  const { metricsToken } = settings();
  const { startMetrics, startTracing } = await import('#lib/observability/index.ts');
  if (metricsToken !== null) await startMetrics();
  await startTracing();
}
