import { Name } from '#app/_components/pieces.tsx';
import type { Words } from '#lib/language/words.ts';
import { DELETION_WORD, type DeletionPreview, previewMyDeletion } from '#lib/management/my-account.ts';
import { TextField } from '../../_kit/fields.tsx';
import { Form } from '../../_kit/form.tsx';
import { messageTitle } from '../../_kit/page-language.ts';
import { Callout, Panel, Title } from '../../_kit/pieces.tsx';
import { consolePage } from '../../_kit/visit.tsx';

export const generateMetadata = messageTitle('my.delete_heading');

export default consolePage('/account/delete', async ({ actor, form, typed, words }) => {
  const { t } = words;
  const preview = await previewMyDeletion(actor);
  return (
    <>
      <Title back={{ href: '/account', label: t('my.heading') }} lead={t('my.delete_way_back')}>
        {t('my.delete_heading')}
      </Title>
      {preview.onlyAdministrator ? (
        <Callout>
          <p>{t('my.delete_administrator')}</p>
        </Callout>
      ) : (
        <Panel id="delete" heading={t('my.delete_panel')} tone="danger">
          <Form
            {...(await form('account-delete'))}
            submit={t('my.delete_for_good')}
            tone="danger"
            leave={{ href: '/account', label: t('my.delete_keep') }}
          >
            <Consequences of={preview} words={words} />
            <TextField
              name="word"
              label={t('my.delete_word', { word: DELETION_WORD })}
              value={typed('account-delete').one('word')}
              autoComplete="off"
              maxLength={20}
              code
            />
          </Form>
        </Panel>
      )}
    </>
  );
});

type ConsequencesProps = { of: DeletionPreview; words: Words };

function Consequences({ of: { sessions, consents, clients, managed }, words }: ConsequencesProps) {
  const { t } = words;
  return (
    <Callout tone="refused">
      <p>
        <strong>{t('my.delete_what_ends')}</strong>
      </p>
      <ul>
        <li>{t('my.delete_sign_ins', { count: sessions })}</li>
        {consents > 0 && <li>{t('my.delete_agreed', { count: consents })}</li>}
        <li>{t('my.delete_factors')}</li>
        <li>{t('my.delete_log')}</li>
        {clients.length > 0 && (
          <li>
            {t('my.delete_clients')}{' '}
            {clients.map(({ clientId, name }, at) => (
              <span key={clientId}>
                {at > 0 && ', '}
                <Name words={words}>{name}</Name>
              </span>
            ))}
          </li>
        )}
        {managed && <li>{t('my.delete_managed')}</li>}
      </ul>
    </Callout>
  );
}
