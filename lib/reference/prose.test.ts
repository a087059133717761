import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readSections, sectionFrom } from './prose.ts';

test('each file of docs/endpoints is one section', () => {
  const files = readdirSync('docs/endpoints').filter((file) => file !== 'README.md');
  expect(
    readSections()
      .map(({ id }) => `${id}.md`)
      .toSorted(),
  ).toEqual(files.toSorted());
});

const GOOD = `# Title

Introduction
in two lines.

## Summary

\`health\` \`GET /health\`

Description of {{interfaceVersion}}.

\`\`\`sh
curl -sS '{{baseUrl}}/health' {{issuer}}
\`\`\`

### 200 \`Health\` text/html

An answer.

Location: somewhere.

\`\`\`text
{"version":"{{interfaceVersion}}"}
\`\`\`

## Second

\`second\` \`POST /second\`

Description.

\`\`\`sh
curl
\`\`\`

### 204

Nothing.

### Answers of \`health\`
`;

test('the parser returns the endpoints, commands and responses of a section', () => {
  const { endpoints, ...section } = sectionFrom('some', GOOD);
  expect(section).toEqual({ id: 'some', title: 'Title', intro: 'Introduction in two lines.' });
  const [health, second] = endpoints;
  expect(health).toMatchObject({ id: 'health', method: 'GET', pattern: '/health', summary: 'Summary' });
  expect(health?.description).toMatch(/^Description of \d+\.\d+\.\d+\.$/);
  expect(health?.command({ baseUrl: 'https://a.example', authUrl: 'https://b.example' })).toBe(
    "curl -sS 'https://a.example/health' https://b.example/auth/AUTH_METHOD_ID/api/API_ID",
  );
  const answer = {
    status: '200',
    schema: 'Health',
    mediaType: 'text/html',
    description: 'An answer.',
    location: 'somewhere.',
    example: expect.stringMatching(/^\{"version":"\d/),
  };
  expect(health?.answers).toEqual([answer]);
  expect(second?.answers).toEqual([{ status: '204', description: 'Nothing.' }, answer]);
});

test.each([
  ['no title', '# Title\n', '', 'has no place there'],
  ['a title of the second level', '# Title', '## Title', 'begins with a title'],
  ['a second introduction', '## Summary', 'More.\n\n## Summary', 'begins with a title and one paragraph'],
  ['a list', 'Introduction', '- Introduction', 'has no place there'],
  ['a table', 'An answer.', '| a |\n| - |\n| b |', 'has no place there'],
  ['a paragraph after the code', '### 200', 'Late.\n\n### 200', 'has no place there'],
  ['an endpoint without its line', '`health` `GET /health`\n', '', 'needs a line with its id'],
  ['an unknown method', '`GET /health`', '`FETCH /health`', 'needs a line with its id'],
  ['an endpoint without words', 'Description of {{interfaceVersion}}.\n', '', 'needs one paragraph'],
  ['an endpoint without a command', '```sh\ncurl\n```\n', '', 'needs one command in sh'],
  ['a command in another language', '```sh', '```js', 'needs one command in sh'],
  ['an answer before an endpoint', '## Summary', '### 200\n\nx\n\n## Summary', 'neither an endpoint nor'],
  ['a heading of the fourth level', '### 204', '#### 204', 'neither an endpoint nor'],
  ['an answer that is an error of the client', '### 204', '### 2044', 'is not a status'],
  ['an answer without words', 'Nothing.\n', '', 'needs one paragraph'],
  ['a second paragraph that is no Location', 'Location: somewhere.', 'Somewhere.', 'at most a Location'],
  ['an example in another language', '```text', '```json', 'at most one example in text'],
  ['answers of an unknown endpoint', 'of `health`', 'of `helth`', 'names no endpoint above it'],
  ['answers of itself', 'of `health`', 'of `second`', 'names no endpoint above it'],
  ['an unknown place', 'of {{interfaceVersion}}', 'of {{version}}', 'no value for version'],
])('the parser rejects the section: %s', (_, from, to, message) => {
  expect(GOOD).toContain(from);
  expect(() => sectionFrom('some', GOOD.replace(from, to))).toThrow(message);
});

test('a command with an unknown placeholder is rejected', () => {
  const [health] = sectionFrom('some', GOOD.replace('{{baseUrl}}', '{{baseURL}}')).endpoints;
  expect(() => health?.command({ baseUrl: '', authUrl: '' })).toThrow('no value for baseURL');
});
