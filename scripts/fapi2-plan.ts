// Writes the files with which the OpenID conformance suite runs its FAPI 2.0 plan against a service: the suite's
// configuration, and the matching registry file. Both contain new keys each time, so neither is in the repository.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { stringify } from 'yaml';
import { makePlan } from '#testing/fapi2/plan.ts';

const USAGE =
  'usage: npm run -s fapi2-plan -- --service https://AUTH [--suite https://localhost.emobix.co.uk:8443] [--out e2e/fapi2]';

const { values } = parseArgs({
  options: {
    service: { type: 'string' },
    suite: { type: 'string', default: 'https://localhost.emobix.co.uk:8443' },
    out: { type: 'string', default: 'e2e/fapi2' },
  },
});
const [service, suite] = [URL.parse(values.service ?? ''), URL.parse(values.suite)].map((url) =>
  url?.protocol === 'https:' ? url.href.replace(/\/$/, '') : null,
);
if (!service || !suite) {
  process.stderr.write(`${USAGE}\nBoth addresses have https.\n`);
  process.exit(1);
}
const { plan, registry, person } = await makePlan({ service, suite });
mkdirSync(values.out, { recursive: true });
const files = { 'plan.json': `${JSON.stringify(plan, null, 2)}\n`, 'registry.yaml': stringify(registry) };
for (const [name, text] of Object.entries(files))
  writeFileSync(path.join(values.out, name), text, { mode: 0o600 });
process.stdout.write(`${path.join(values.out, 'plan.json')}: the configuration of the suite
${path.join(values.out, 'registry.yaml')}: apply it to the service
In the browser sign in as ${person.email} with ${person.password}\n`);
