// Next calls this once before it serves: a faulty setting stops the start, two tokens of one request are both seen, and
// a process that lasts watches the registry.
export async function register(): Promise<void> {
  if (process.env['NEXT_RUNTIME'] === 'edge') return;
  const { settings } = await import('#lib/settings/settings.ts');
  const { metricsToken, lasting } = settings();
  const { startMetrics, startUsage } = await import('#lib/observability/metrics.ts');
  const { startTracing } = await import('#lib/observability/tracing.ts');
  if (metricsToken !== null) await startMetrics();
  await startTracing();
  const { joinRepeatedTokens, noticePeers } = await import('#lib/http/peer-context.ts');
  joinRepeatedTokens();
  if (!lasting) {
    // `server.ts` does it in lasting processes
    const { logConsole } = await import('#lib/kit/log.ts');
    const { redactCredentials } = await import('#lib/tokens/credential-text.ts');
    logConsole(redactCredentials);
    return;
  }
  noticePeers();
  startUsage();
  const { watchRegistry } = await import('#lib/store/snapshot-watch.ts');
  watchRegistry();
}
