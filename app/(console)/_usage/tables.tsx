import { Name } from '#app/_components/name.tsx';
import type { Usage } from '#lib/management/service/usage.ts';
import { say } from '../_texts/say.tsx';
import { List, Row } from '../_ui/list.tsx';
import { inDigits } from './words.ts';

/** Why requests were refused, in words. The code of the error leads to what clients are told of it. */
export function Refusals({ rows, all }: { rows: Usage['refusals']; all: number }) {
  if (rows.length === 0) return <p className="soft">{say('Nothing was refused.')}</p>;
  return (
    <>
      <h3 className="within">{say('Why')}</h3>
      <List label={say('Why requests were refused, the most frequent first')}>
        {rows.map(({ error, reason, n, title, explanation }) => (
          <Row
            key={`${error} ${reason}`}
            title={say(title)}
            side={
              <>
                <a href="/documentation/guides/first-token#when-something-fails">
                  <code>{error}</code>
                </a>
                <strong className="figure">
                  {inDigits(n)}
                  <span className="unseen"> {say('times')}</span>
                </strong>
                <span className="share">{share(n, all)}</span>
              </>
            }
          >
            {explanation && say(explanation)}
          </Row>
        ))}
      </List>
    </>
  );
}

function share(n: number, all: number): string {
  const percent = Math.round((n / Math.max(all, 1)) * 100);
  return percent === 0 ? say('under 1\u00a0%') : say('{count}\u00a0%', { count: percent });
}

type ByProps = {
  what: string;
  rows: Usage['apis'];
  /** the name of those without one */
  none: string;
  link: (id: string) => string;
};

export function By({ what, rows, none, link }: ByProps) {
  if (rows.length === 0) return <p className="soft">{say('Nothing in this time.')}</p>;
  return (
    <table className="figures">
      <thead>
        <tr>
          <th scope="col">{what}</th>
          <th scope="col">{say('Attempts')}</th>
          <th scope="col">{say('Tokens')}</th>
          <th scope="col">{say('Refused')}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ id, name, signIns, tokens, refusals }) => (
          <tr key={id}>
            <th scope="row">
              {name === null ? (
                id === '' ? (
                  none
                ) : (
                  say('All the others')
                )
              ) : (
                <a href={link(id)}>
                  <Name>{name}</Name>
                </a>
              )}
            </th>
            <td>{inDigits(signIns)}</td>
            <td>{inDigits(tokens)}</td>
            <td>{inDigits(refusals)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
