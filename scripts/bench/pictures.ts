// Cost of image processing: `node scripts/bench/pictures.ts [FOLDER]`. Processes each file of FOLDER, or generated
// expensive images. Prints CPU milliseconds of the image process and peak megabytes above its start, from /proc
// (Linux).
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { processWide } from '#lib/kit/process.ts';
import { drawLogo } from '#lib/pictures/draw.ts';
import { COSTLY, png } from '#testing/data/pictures.ts';

type Cost = { name: string; bytes: number; cpu: number; megabytes: number; said: string };

const pid = () => processWide<{ child: { pid: number } | null }>('drawing').value?.child?.pid;

function readProcess(of: number): { cpu: number; now: number; peak: number } | null {
  try {
    const fields = readFileSync(`/proc/${of}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    const status = readFileSync(`/proc/${of}/status`, 'utf8');
    // ended processes report no memory
    if (!status.includes('VmRSS')) return null;
    const kilobytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0);
    return {
      cpu: (Number(fields[11]) + Number(fields[12])) * 10,
      now: kilobytes('VmRSS') / 1_024,
      peak: kilobytes('VmHWM') / 1_024,
    };
  } catch {
    return null;
  }
}

async function costOf(name: string, bytes: Buffer): Promise<Cost> {
  // start the image process first: its start must not count
  await drawLogo(png());
  const of = pid() ?? 0;
  const before = readProcess(of);
  let last = before;
  const watch = setInterval(() => {
    last = readProcess(of) ?? last;
  }, 2);
  const logo = await drawLogo(bytes);
  clearInterval(watch);
  last = readProcess(of) ?? last;
  if (!before || !last) throw new Error('the figures are read from /proc, which is not there');
  return {
    name,
    bytes: bytes.length,
    cpu: last.cpu - before.cpu,
    // peak memory if this image raised the peak, otherwise 0
    megabytes: Math.max(0, Math.round((last.peak > before.peak ? last.peak : last.now) - before.now)),
    said: 'fault' in logo ? logo.fault.message : `drawn: ${logo.small.length} and ${logo.large.length} bytes`,
  };
}

const folder = process.argv[2];
const all: [name: string, bytes: Buffer][] =
  folder === undefined
    ? Object.entries(COSTLY)
    : readdirSync(folder).map((name) => [name, readFileSync(path.join(folder, name))]);
const costs: Cost[] = [];
for (const [name, bytes] of all) costs.push(await costOf(name, bytes));
const most = (of: 'cpu' | 'megabytes') => Math.max(...costs.map((cost) => cost[of]));
const drawn = costs.filter(({ said }) => said.startsWith('drawn'));
for (const { name, bytes, cpu, megabytes, said } of costs.toSorted((a, b) => b.cpu - a.cpu).slice(0, 40))
  console.log(
    `${name.padEnd(40)} ${String(bytes).padStart(8)} bytes ${String(cpu).padStart(4)} ms ${String(megabytes).padStart(3)} MB  ${said}`,
  );
console.log(
  `${drawn.length} of ${costs.length} drawn; at most ${most('cpu')} ms and ${most('megabytes')} MB`,
);
