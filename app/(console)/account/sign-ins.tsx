import type { SignInRow } from '#lib/catalogue/people/definition.ts';
import { List, Row } from '../_kit/list.tsx';
import { visitWords } from '../_kit/page-language.ts';
import { Panel, When } from '../_kit/pieces.tsx';

const KINDS = {
  'sign-in': 'my.sign_in_page',
  console: 'my.sign_in_console',
  'password-grant': 'my.sign_in_password',
} as const satisfies Record<SignInRow['kind'], string>;

export async function SignInList({ rows }: { rows: SignInRow[] }) {
  const words = await visitWords();
  const { t } = words;
  return (
    <List label={t('my.sign_ins')}>
      {rows.map((row) => (
        <Row key={row.id} title={t(KINDS[row.kind])} side={<When at={row.at} words={words} />}>
          {[
            row.methodName && t('my.sign_in_by', { method: row.methodName }),
            row.clientId && t('my.sign_in_for', { client: row.clientId }),
            row.ip,
          ]
            .filter(Boolean)
            .join(' · ')}
        </Row>
      ))}
    </List>
  );
}

export async function SignIns({ rows, more }: { rows: SignInRow[]; more: boolean }) {
  const words = await visitWords();
  const { t } = words;
  return (
    <Panel
      id="sign-ins"
      heading={t('my.sign_ins_recent')}
      aside={more && <a href="/account/sign-ins">{t('my.all_of_them')}</a>}
    >
      {rows.length === 0 ? <p className="soft">{t('my.sign_ins_none')}</p> : <SignInList rows={rows} />}
    </Panel>
  );
}
