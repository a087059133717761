// The drawing process, the only decoder of untrusted pictures. libvips and librsvg cannot be interrupted, so the
// process monitors itself and exits if it exceeds its limits (docs/project/decisions/0025). It receives no secrets
// and no environment variables.
import sharp from 'sharp';
import { BUDGET, type Job, MAX_SIDE, type Outcome, type PictureFault, SIDES } from './limits.ts';

// blocks all decoders first, because libvips also contains decoders for formats that are unsuitable for logos
sharp.block({ operation: ['VipsForeignLoad'] });
const decoders = (...formats: string[]) => ({
  operation: formats.map((format) => `VipsForeignLoad${format}`),
});
sharp.unblock(decoders('Png', 'Jpeg', 'Webp', 'Nsgif'));
sharp.cache(false);
sharp.concurrency(1);

// MAX_SIDE limits the number of pixels, and an SVG is drawn at the size of the output
const GIVEN = { failOn: 'warning', unlimited: false, limitInputPixels: false, autoOrient: true } as const;

/**
 * If a picture exceeds its limits, reports this to the caller and kills the process. Returns a function that stops
 * watching.
 */
function watchLimits(): () => void {
  const [cpu, memory] = [process.cpuUsage(), process.memoryUsage.rss()];
  const timer = setInterval(() => {
    const spent = process.cpuUsage(cpu);
    if ((spent.user + spent.system) / 1_000 > BUDGET.cpuMs) end('slow');
    else if (process.memoryUsage.rss() - memory > BUDGET.bytes) end('large');
  }, 4);
  const end = (fault: 'slow' | 'large') => {
    clearInterval(timer);
    // `exit` would wait until the present picture is drawn, so the process kills itself
    process.send?.({ fault, over: true } satisfies Outcome, () => process.kill(process.pid, 'SIGKILL'));
  };
  return () => clearInterval(timer);
}

async function draw(bytes: Uint8Array): Promise<Outcome> {
  const { width, height, format, pages = 1 } = await sharp(bytes, GIVEN).metadata();
  const isDrawn = format === 'svg';
  if (!isDrawn && Math.max(width, height) > MAX_SIDE) return { fault: 'sides', width, height };
  if (pages > 1) return { fault: 'moves' };
  const { data, info } = await sharp(bytes, GIVEN)
    .resize({ ...within(SIDES.large), withoutEnlargement: !isDrawn })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  if (isClear(data)) return { fault: 'empty' };
  const picture = () => sharp(data, { raw: { width: info.width, height: info.height, channels: 4 } });
  const written = { lossless: true, effort: 2 } as const;
  return {
    format,
    small: await picture()
      .resize({ ...within(SIDES.small), withoutEnlargement: true })
      .webp(written)
      .toBuffer(),
    large: await picture().webp(written).toBuffer(),
  };
}

const within = (side: number) => ({ width: side, height: side, fit: 'inside' }) as const;

function isClear(pixels: Buffer): boolean {
  for (let at = 3; at < pixels.length; at += 4) if (pixels[at] !== 0) return false;
  return true;
}

/** Fault in an error of libvips. `reason`: error text without internal function names. */
function faultOf({ message }: Error): PictureFault {
  if (/unsupported image format/.test(message)) return { fault: 'format' };
  if (/bad dimensions|zero-sized/.test(message)) return { fault: 'sizeless' };
  const [line = ''] = message
    .replace(/^.*(?:corrupt header:|_buffer:|glib:)\s*/s, '')
    .replace(/Error domain \d+ code \d+ on (line \d+) (column \d+) of data: /, '$1, $2: ')
    .split('\n');
  return { fault: 'broken', reason: line.slice(0, 160) };
}

process.on('message', async ({ bytes, svg }: Job) => {
  sharp[svg ? 'unblock' : 'block'](decoders('Svg'));
  const done = watchLimits();
  const outcome = await draw(bytes).catch((error: Error): Outcome => faultOf(error));
  done();
  process.send?.(outcome);
});
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
