// Draws a logo again in a separate process, one at a time. Gatehouse stores and serves only the drawn picture, never
// the uploaded file.
import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { type FaultText, fault } from '#lib/kit/fault.ts';
import { processWide } from '#lib/kit/process.ts';
import { type Job, MAX_SIDE, type Outcome, type PictureFault } from './limits.ts';

/**
 * `source`: hexadecimal SHA-256 of the uploaded file. `hash`: hexadecimal SHA-256 of `large`. Both pictures are WebP.
 */
export type DrawnLogo = { hash: string; source: string; format: string; small: Buffer; large: Buffer };

/** Maximum number of waiting callers, because each can hold a database connection. */
const MAX_WAITING = 4;
/** Limit in real time, including the start of the process, in case the process hangs. */
const PATIENCE_MS = 15_000;
const IDLE_MS = 10_000;

/** Thrown if the queue is full. */
export class DrawingBusy extends Error {
  override name = 'DrawingBusy';
}

type Drawing = {
  child: ChildProcess | null;
  idle: NodeJS.Timeout | undefined;
  waiting: number;
  last: Promise<unknown>;
};
// one queue per process, which the Node server and Next share
const slot = processWide<Drawing>('drawing');

/**
 * Returns the logo in two sizes, or the fault as text that follows `the picture`. Throws DrawingBusy. `svg: false`
 * rejects SVG, because strangers could send SVG files of maximum cost.
 */
export async function drawLogo(
  bytes: Buffer,
  { svg = true } = {},
): Promise<DrawnLogo | { fault: FaultText }> {
  slot.value ??= { child: null, idle: undefined, waiting: 0, last: Promise.resolve() };
  const drawing = slot.value;
  if (drawing.waiting > MAX_WAITING) throw new DrawingBusy('too many pictures are being drawn');
  drawing.waiting += 1;
  const turn = drawing.last
    .then(() => drawnBy(drawing, { bytes, svg }))
    .finally(() => {
      drawing.waiting -= 1;
    });
  drawing.last = turn;
  const outcome = await turn;
  if ('fault' in outcome) return { fault: inWords(outcome) };
  const [small, large] = [Buffer.from(outcome.small), Buffer.from(outcome.large)];
  const hex = (data: Buffer) => createHash('sha256').update(data).digest('hex');
  return { hash: hex(large), source: hex(bytes), format: outcome.format, small, large };
}

/** The fault, as text that follows `the picture`. */
function inWords(picture: PictureFault): FaultText {
  switch (picture.fault) {
    case 'slow':
      return fault('takes too long to draw: make it simpler', {});
    case 'large':
      return fault('takes too much memory to draw: make it simpler', {});
    case 'sides':
      return fault('has {size} pixels: each side must have from 1 to {most}', {
        size: `${picture.width} × ${picture.height}`,
        most: MAX_SIDE,
      });
    case 'moves':
      return fault('moves: a logo stands still', {});
    case 'empty':
      return fault('shows nothing: every pixel of it is transparent', {});
    case 'format':
      return fault('is none: a PNG, JPEG, WebP, GIF or SVG is wanted, whole from its beginning', {});
    case 'sizeless':
      return fault('is an SVG without a size that can be drawn', {});
    case 'gone':
      return fault('could not be drawn', {});
    case 'broken':
      return brokenInWords(picture.reason);
  }
}

/** The English message ends in the decoder’s error text. Pages in other languages show only its position. */
function brokenInWords(reason: string): FaultText {
  const [, line, column] = /\bline (\d+),? column (\d+)/.exec(reason) ?? [];
  const broken = fault('is broken', {});
  const { params } =
    line && column ? fault('is broken at line {line}, column {column}', { line, column }) : broken;
  return { message: [broken.message, reason].filter(Boolean).join(': '), params };
}

async function drawnBy(drawing: Drawing, job: Job): Promise<Outcome> {
  clearTimeout(drawing.idle);
  drawing.child ??= startProcess(drawing);
  const outcome = await answerOf(drawing.child, job);
  if ('over' in outcome) drawing.child = null;
  drawing.idle = setTimeout(() => {
    drawing.child?.disconnect();
    drawing.child = null;
  }, IDLE_MS).unref();
  return outcome;
}

function startProcess(drawing: Drawing): ChildProcess {
  const child = fork(programFile(), [], {
    // the environment of Gatehouse is not passed on, because it contains secrets
    env: { NODE_ENV: 'production', UV_THREADPOOL_SIZE: '2', MALLOC_ARENA_MAX: '2' },
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  child.on('exit', () => {
    if (drawing.child === child) drawing.child = null;
  });
  keepAlive(child, false);
  return child;
}

/**
 * Returns the path of the drawing program. It is next to this file; in a bundle of Next, it is below the folder in
 * which the service was started.
 */
function programFile(): string {
  const name = 'drawing-process.ts';
  const beside = path.join(import.meta.dirname ?? '', name);
  return existsSync(beside)
    ? beside
    : path.resolve(/*turbopackIgnore: true*/ process.cwd(), 'lib/pictures', name);
}

const GONE: Outcome = { fault: 'gone', over: true };

function answerOf(child: ChildProcess, job: Job): Promise<Outcome> {
  return new Promise((resolve) => {
    const end = (outcome: Outcome) => {
      clearTimeout(timer);
      child.off('message', end).off('exit', endGone).off('error', endGone);
      keepAlive(child, false);
      resolve(outcome);
    };
    const endGone = () => end(GONE);
    const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
    child.once('message', end).once('exit', endGone).once('error', endGone);
    keepAlive(child, true);
    // if sending fails, `exit` follows, so this callback ignores the error
    child.send(job, () => {});
  });
}

/** Sets whether a running child process keeps this process alive. */
function keepAlive(child: ChildProcess, wanted: boolean): void {
  const change = wanted ? 'ref' : 'unref';
  child[change]();
  child.channel?.[change]();
}
