// Search results by kind, with the reason for each match. The page first states which kind of text was searched for.
import { Name } from '#app/_components/pieces.tsx';
import { findAnything, isSecretText } from '#lib/management/find.ts';
import type { Actor } from '#lib/management/policy.ts';
import { MOST_FOUND } from '#lib/registry/values.ts';
import type { FoundKind, FoundThing } from '#lib/store/find.ts';
import type { Area } from '../_kit/console-form.ts';
import { FindKeyChoice } from '../_kit/find-key.tsx';
import { FindField } from '../_kit/frame.tsx';
import { List, Row } from '../_kit/list.tsx';
import { Callout, Empty, Panel, Pill, Title } from '../_kit/pieces.tsx';
import { consolePage } from '../_kit/visit.tsx';
import { say } from '../_texts/say.tsx';
import { toSay } from '../_texts/to-say.ts';
import { addressOf } from './find-forms.ts';

const HEADINGS: Record<FoundKind, string> = toSay({
  person: 'People',
  client: 'Applications',
  subscription: 'Subscriptions',
  api: 'APIs',
  method: 'Sign-in methods',
  group: 'Groups',
  key: 'Signing keys',
  request: 'Requests',
  event: 'Audit log',
});

const WHY: Record<FoundThing['by'], string> = toSay({
  id: 'by its id',
  email: 'by the address',
  username: 'by the username',
  subject: 'by the subject',
  name: 'by its id or name',
  host: 'by a redirect host',
  pair: 'by application and API',
  kid: 'by the key id',
  request: 'by the request id',
});

export const findPage = (area: Area) =>
  consolePage(`/${area}/find`, async ({ actor, query, form }) => {
    const searchText = (query['q'] ?? '').trim();
    const isSecret = isSecretText(searchText);
    const text = isSecret ? '' : searchText;
    const { rows } = await findAnything(actor, { text });
    return (
      <>
        <Title lead={say('One field for ids, names, addresses, hosts, keys, requests and tokens.')}>
          {say('Find')}
        </Title>
        <FindField
          start={await form('find')}
          id="find"
          label={say('What are you looking for?')}
          button={say('Find')}
          value={text}
          className="find-form"
          labelled
        />
        {isSecret && (
          <Callout>
            {say(
              'A token must not be part of an address, because histories and logs keep addresses. Paste the token into the field.',
            )}
          </Callout>
        )}
        {text === '' || rows.length === 0 ? <Help text={text} /> : <Groups {...{ actor, rows }} />}
        <p>
          <FindKeyChoice>{say('Press / to search')}</FindKeyChoice>
        </p>
      </>
    );
  });

function Groups({ actor, rows }: { actor: Actor; rows: FoundThing[] }) {
  const kinds = [...new Set(rows.map(({ kind }) => kind))];
  return kinds.map((kind) => {
    const matches = rows.filter((row) => row.kind === kind);
    return (
      <Panel key={kind} id={`found-${kind}`} heading={say(HEADINGS[kind])}>
        <List label={say(HEADINGS[kind])}>
          {matches.map((row) => (
            <Row
              key={`${row.id} ${row.api}`}
              href={addressOf(actor, row)}
              title={<Name>{row.name || row.about || row.id}</Name>}
              pills={row.exact && <Pill tone="good">{say('exact match')}</Pill>}
              side={<span className="soft">{say(WHY[row.by])}</span>}
            >
              <code>{row.api === null ? row.id : `${row.id} · ${row.api}`}</code>
              {row.about && (
                <>
                  {' · '}
                  <bdi>{row.about}</bdi>
                </>
              )}
            </Row>
          ))}
        </List>
        {matches.length >= MOST_FOUND && (
          <p className="soft">
            {say('There may be more results: refine your search, or search in the list.')}
          </p>
        )}
      </Panel>
    );
  });
}

function Help({ text }: { text: string }) {
  return (
    <Empty
      heading={
        text === '' ? say('What you can search for') : say('No results, or none that you have access to')
      }
    >
      <ul>
        <li>{say('The beginning of a name, an id or an email address')}</li>
        <li>{say('An application and an API, for their subscription: “shop orders”')}</li>
        <li>{say('The host of a redirect address: “shop.example”')}</li>
        <li>{say('The id of a signing key, or a request id from an error page')}</li>
        <li>{say('A token: it is inspected, and never stored or added to an address')}</li>
      </ul>
    </Empty>
  );
}
