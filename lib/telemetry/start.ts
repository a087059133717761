// Starts metrics and traces as the settings say; gives the way to stop both.
import { startMetrics } from './metrics.ts';
import { startTracing } from './tracing.ts';

export async function startTelemetry(): Promise<() => Promise<void>> {
  const stopMetrics = await startMetrics();
  const stopTracing = await startTracing();
  return async () => {
    stopMetrics();
    await stopTracing();
  };
}
