// Small files that are expensive to decode: each is rejected within its limits, and the next picture is drawn.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { processWide } from '#lib/kit/process.ts';
import { COSTLY, png, SVG, svg } from '#testing/data/pictures.ts';
import { DrawingBusy, drawLogo } from './draw.ts';

/** The error expected for each expensive picture. A picture that is not listed can be drawn within the limits. */
const REFUSED: Readonly<Record<string, string>> = {
  'use a thousand million times': 'takes too long',
  'use, doubled forty times': 'takes too long',
  'masks within masks': 'takes too long',
  'entities a thousand million times': 'is broken',
  'entities, the square of sixty thousand': 'is broken',
  'sixty thousand elements deep': 'is broken',
  'five megabytes of paths': 'takes too',
  'a PNG that unpacks to a gigabyte': 'pixels',
};

test.each(Object.entries(COSTLY))(
  'the picture “%s” is drawn or rejected within the limits, and the next picture is drawn',
  async (name, bytes) => {
    const logo = await drawLogo(bytes);
    const message = 'fault' in logo ? logo.fault.message : null;
    if (name in REFUSED) expect(message).toContain(REFUSED[name]);
    else if (message !== null) expect(message).toMatch(/^(?:takes too|shows nothing)/);
    expect(await drawLogo(SVG)).toMatchObject({ format: 'svg' });
  },
);

test('pictures are drawn serially, and a full queue rejects further pictures', async () => {
  const asked = await Promise.allSettled(Array.from({ length: 12 }, () => drawLogo(png())));
  const refused = asked.filter((one) => one.status === 'rejected');
  expect(refused.length).toBe(7);
  for (const { reason } of refused) expect(reason).toBeInstanceOf(DrawingBusy);
  expect(await drawLogo(png())).toMatchObject({ format: 'png' });
});

test('killing the drawing process fails only the current picture', async () => {
  await drawLogo(png());
  const { child } = processWide<{ child: { kill(signal: string): void } }>('drawing').value ?? {};
  const asked = [drawLogo(SVG), drawLogo(png())];
  child?.kill('SIGKILL');
  expect(await asked[0]).toMatchObject({ fault: { message: 'could not be drawn' } });
  expect(await asked[1]).toMatchObject({ format: 'png' });
});

test('an SVG sends no requests and reads no files, whatever it references', async () => {
  let requests = 0;
  const server = createServer((_, answer) => {
    requests += 1;
    answer.setHeader('content-type', 'image/png').end(png({ colour: [255, 0, 0] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const remote = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const folder = mkdtempSync(path.join(tmpdir(), 'svg-'));
  const file = path.join(folder, 'red.png');
  writeFileSync(file, png({ colour: [255, 0, 0] }));
  const secret = randomUUID();
  writeFileSync(path.join(folder, 'secret.txt'), secret);
  writeFileSync(path.join(folder, 'red.svg'), svg('<path id="r" d="M0 0h24v24H0z" fill="#f00"/>'));
  writeFileSync(path.join(folder, 'red.css'), 'rect{fill:#f00}');
  const here = pathToFileURL(folder).href;
  const green = '<rect x="0" y="0" width="24" height="24" fill="#0f0"/>';
  const inside = (at: string) => [
    `<image width="24" height="24" href="${at}/red.png"/>`,
    `<image width="24" height="24" xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="${at}/red.png"/>`,
    `<use href="${at}/red.svg#r"/>`,
    `<rect width="24" height="24" fill="url(${at}/red.svg#r)"/>`,
    `<filter id="f"><feImage href="${at}/red.png"/></filter><rect width="24" height="24" filter="url(#f)"/>`,
    `<style>@import url("${at}/red.css");</style>`,
    `<style>@font-face{font-family:x;src:url(${at}/x.woff)}text{font-family:x}</style><text>x</text>`,
    `<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="${at}/red.svg"/>`,
    `<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="${at}/secret.txt" parse="text"/>`,
    `<foreignObject width="24" height="24"><img xmlns="http://www.w3.org/1999/xhtml" src="${at}/red.png"/></foreignObject>`,
    `<g style="mask:url(${at}/red.svg#r)"/>`,
    `<a href="${at}/red.svg"><path d="M0 0"/></a>`,
  ];
  const documents = [remote, here, folder].flatMap((at) => [
    ...inside(at).map((one) => svg(green + one)),
    ...[
      `<!DOCTYPE svg SYSTEM "${at}/x.dtd">`,
      `<!DOCTYPE svg [<!ENTITY % d SYSTEM "${at}/x.dtd"> %d;]>`,
      `<?xml-stylesheet href="${at}/red.css" type="text/css"?>`,
    ].map((one) => Buffer.concat([Buffer.from(one), svg(green)])),
    Buffer.concat([
      Buffer.from(`<!DOCTYPE svg [<!ENTITY s SYSTEM "${at}/secret.txt">]>`),
      svg(`${green}<text>&s;</text>`),
    ]),
  ]);
  for (const document of documents) {
    const logo = await drawLogo(document);
    if ('fault' in logo) continue;
    const { channels } = await sharp(logo.large).stats();
    expect(channels[0]?.max, document.toString()).toBe(0);
  }
  expect(requests).toBe(0);
  server.close();
});
