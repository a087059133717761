import { type EnglishSentence, english } from '#lib/language/message.ts';

export type EndedOfClient = { tokens: number; consents: number; delegations: number; people: number };

const isNothing = ({ tokens, consents, delegations }: EndedOfClient) => tokens + consents + delegations === 0;

/** What would end of a client. */
export const endingWords = (ended: EndedOfClient): EnglishSentence =>
  isNothing(ended)
    ? english('nothing, for it held no token and nobody had allowed it anything.')
    : english(
        '{tokens, plural, one {# living sign-in or token} other {# living sign-ins and tokens}}, {consents, plural, one {# remembered consent} other {# remembered consents}}{delegations, plural, =0 {} one {, # delegation} other {, # delegations}}, of {people, plural, one {# person} other {# people}}.',
        ended,
      );

/** What has ended. */
export const revokedWords = (ended: EndedOfClient): EnglishSentence =>
  isNothing(ended)
    ? english('Revoked. What has ended: nothing, for it held no token and nobody had allowed it anything.')
    : english(
        'Revoked. What has ended: {tokens, plural, one {# living sign-in or token} other {# living sign-ins and tokens}}, {consents, plural, one {# remembered consent} other {# remembered consents}}{delegations, plural, =0 {} one {, # delegation} other {, # delegations}}, of {people, plural, one {# person} other {# people}}.',
        ended,
      );
