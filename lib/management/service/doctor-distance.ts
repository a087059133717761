// How far the database is: every request waits for it at least once.
import { ownValue } from '#lib/kit/own-value.ts';
import { settings } from '#lib/settings/settings.ts';
import type { DatabaseFacts } from '#lib/store/database/database.ts';
import { type Finding, finding } from './doctor-finding.ts';

/** In one region it is 1 to 5 ms; between two it is 10 and more. */
const FAR_MS = 10;

/** Vercel's regions, by the name that the cloud beneath gives them (vercel.com/docs/regions). */
const REGIONS: Readonly<Record<string, string>> = {
  ...{ arn1: 'eu-north-1', bom1: 'ap-south-1', cdg1: 'eu-west-3', cle1: 'us-east-2', cpt1: 'af-south-1' },
  ...{ dub1: 'eu-west-1', dxb1: 'me-central-1', fra1: 'eu-central-1', gru1: 'sa-east-1', hkg1: 'ap-east-1' },
  ...{ hnd1: 'ap-northeast-1', iad1: 'us-east-1', icn1: 'ap-northeast-2', kix1: 'ap-northeast-3' },
  ...{
    lhr1: 'eu-west-2',
    pdx1: 'us-west-2',
    sfo1: 'us-west-1',
    sin1: 'ap-southeast-1',
    syd1: 'ap-southeast-2',
  },
};
const REGION = /\b(?:af|ap|ca|eu|il|me|sa|us)-(?:[a-z]+)-\d\b/;

export const examineDistance = ({ roundTripMs }: DatabaseFacts): Finding =>
  distanceFinding(roundTripMs, settings().region, URL.parse(settings().databaseUrl)?.hostname ?? '');

/** `region`: Vercel's, null elsewhere; `host`: the database's. */
export function distanceFinding(fastestMs: number, region: string | null, host: string): Finding {
  const took = `${fastestMs < 1 ? fastestMs.toFixed(1) : Math.round(fastestMs)} ms to the database and back`;
  const here = region === null ? undefined : ownValue(REGIONS, region);
  const there = REGION.exec(host)?.[0];
  if (here !== undefined && there !== undefined && here !== there)
    return finding('warning')(
      'round trip',
      `${took}: the functions run in ${region} (${here}), the database in ${there}; choose one region for both`,
    );
  if (fastestMs > FAR_MS)
    return finding('warning')('round trip', `${took}: bring the service and the database closer together`);
  return finding('ok')('round trip', took);
}
