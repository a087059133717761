// `npm run journeys`: runs each journey on a desktop and a phone, with and without a script, and writes the table of
// docs/project/journeys.md.
//   --only NAME    only this journey; can be repeated; writes no document
//   --rounds N     number of runs of each journey; the seconds are the median (default: 3)
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright';
import { JOURNEYS, type Journey } from './journeys.ts';
import { type Round, rowText, writeDocument } from './report.ts';
import { startDemo } from './service.ts';
import { WAYS, Walk, type Way } from './walk.ts';

const PICTURES = path.resolve('test-results/journeys');

const { values } = parseArgs({
  options: { only: { type: 'string', multiple: true }, rounds: { type: 'string', default: '3' } },
});
const chosen = JOURNEYS.filter(({ name }) => values.only === undefined || values.only.includes(name));
if (chosen.length === 0)
  throw new Error(`there is no such journey; there are ${JOURNEYS.map(({ name }) => name).join(', ')}`);
mkdirSync(PICTURES, { recursive: true });

const executablePath = process.env['GATEHOUSE_CHROMIUM'];
const browser = await chromium.launch({ ...(executablePath && { executablePath }), args: ['--no-sandbox'] });
const service = await startDemo();
const rounds: Round[] = [];
try {
  for (const journey of chosen)
    for (const way of WAYS) {
      const walked: Round[] = [];
      for (let n = 0; n < Number(values.rounds); n += 1) walked.push(await walkOnce(journey, way));
      process.stdout.write(`${rowText(walked)}\n`);
      rounds.push(...walked);
    }
} finally {
  await browser.close();
  await service.stop();
}
const failed = rounds.filter(({ fault }) => fault !== null);
if (values.only === undefined && failed.length === 0) writeDocument(rounds, Number(values.rounds));
process.stdout.write(
  failed.length === 0
    ? '\nevery journey reached its end\n'
    : `\n${failed.length} did not reach their end; pictures: ${PICTURES}\n`,
);
process.exit(failed.length === 0 ? 0 : 1);

async function walkOnce(journey: Journey, way: Way): Promise<Round> {
  const walk = new Walk(browser, way);
  const facts = { journey, way, tally: walk.tally };
  try {
    await journey.walk(walk, service);
    return { ...facts, seconds: walk.seconds, fault: null };
  } catch (error) {
    const { device, script } = way;
    await walk.pictures((n) =>
      path.join(PICTURES, `${journey.name}-${device}-${script ? 'script' : 'plain'}-${n}.png`),
    );
    return {
      ...facts,
      seconds: walk.seconds,
      fault: `${walk.at}: ${String(error).split('\n').slice(0, 8).join('\n')}`,
    };
  } finally {
    await walk.end();
  }
}
