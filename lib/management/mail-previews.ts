// Previews of mails for administrators, with example data, in each language and with the brand of an API or client.
// Administrators can send a preview to themselves.
import { wordsOf } from '#lib/language/words.ts';
import { type CameWith, mailLimits, sendLimited } from '#lib/mail/mail.ts';
import { isMailName, type MailName } from '#lib/mail/messages.ts';
import { exampleMail, listMails, type MailListed, sendExampleMail } from '#lib/mail/send.ts';
import type { Language } from '#lib/settings/languages.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { operation } from './operations.ts';
import { requirePerson } from './policy.ts';
import { record } from './record.ts';
import { Refused } from './refused.ts';

/**
 * The preview that is requested: a mail in a language, and the API and client from which its reader came.
 * Without a client, the API's brand is used.
 */
export type MailPreviewAsked = {
  mail: string;
  language: Language;
  apiId?: string | undefined;
  clientId?: string | undefined;
};

export type MailPreview = { subject: string; text: string; html: string };

/** Lists every mail of the service with its subject in this language. */
export const listMailPreviews = operation(
  { name: 'listMailPreviews', right: 'registry.read' },
  async (_, { language }: { language: Language }): Promise<MailListed[]> => listMails(wordsOf(language)),
);

export const previewMail = operation(
  { name: 'previewMail', right: 'registry.read' },
  async (_, input: MailPreviewAsked): Promise<MailPreview> => {
    const { name, cameWith } = await preparedFor(input);
    return exampleMail(name, wordsOf(input.language), cameWith);
  },
);

/** Sends the mail only to the actor's address, within the limit of all mails. */
export const sendMailPreview = operation(
  // the mail is sent to the caller's own address
  { name: 'sendMailPreview', right: 'registry.manage' },
  async ({ actor, db }, input: MailPreviewAsked): Promise<{ email: string }> => {
    const { email, request } = requirePerson(actor);
    if (email === null) throw new Refused('address.none');
    const { name, cameWith } = await preparedFor(input);
    const { language } = input;
    const from = { ip: request?.ip ?? null, requestId: request?.id ?? '' };
    const waitSeconds = await sendLimited(mailLimits('preview', email, null), from, async () => {
      await record(actor, { event: 'mail.preview_sent', details: { mail: name, language } }, db);
      sendExampleMail({ email, locale: language }, name, cameWith);
    });
    if (waitSeconds !== null)
      throw new Refused('own_account.too_many_mails', {}, { retryAfterSeconds: waitSeconds });
    return { email };
  },
);

/** Prepares a preview. Throws `Refused` for an unknown mail, API or client. */
async function preparedFor({ mail, apiId = '', clientId = '' }: MailPreviewAsked) {
  if (!isMailName(mail)) throw new Refused('mail.unknown', { mail: mail.slice(0, 100) });
  const name: MailName = mail;
  const { apis, clients } = await currentSnapshot();
  const client = clientId === '' ? undefined : clients.get(clientId);
  if (clientId !== '' && client === undefined) throw new Refused('client.unknown', { client: clientId });
  if (apiId !== '' && !apis.has(apiId)) throw new Refused('api.unknown', { api: apiId });
  // if a client is given without an API, its first approved API is used
  const at = apiId || client?.subscriptions.find(({ state }) => state === 'approved')?.apiId;
  const cameWith: CameWith | undefined =
    at === undefined ? undefined : { apiId: at, clientId: client?.clientId ?? null };
  return { name, cameWith };
}
