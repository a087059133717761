// What the doctor asks of a verifier.
import type { MethodConfig, Probe } from '../kind.ts';

const MISSING = [404, 410];

/** It accepts only POST, so a GET is refused; some servers answer 404 to it. */
export const verifierProbes = (config: MethodConfig): Probe[] => [
  {
    address: String(config['verify_url']),
    judge: (status) =>
      MISSING.includes(status)
        ? { state: 'warning', advice: 'right only if it answers so to a GET: check verify_url' }
        : { state: 'ok' },
  },
];
