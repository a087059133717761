// What one field for everything finds, and which rows a person may see.

export type FoundKind =
  | 'person'
  | 'client'
  | 'subscription'
  | 'api'
  | 'method'
  | 'group'
  | 'key'
  | 'request'
  | 'event';
/** What of it the text is, or begins; of an `exact` one it is all of it. */
export type FoundBy = 'id' | 'email' | 'username' | 'subject' | 'name' | 'host' | 'pair' | 'kid' | 'request';

export type FoundThing = {
  kind: FoundKind;
  /** of a subscription and a request: the client's */
  id: string;
  /** the API of a subscription */
  api: string | null;
  name: string;
  /** an address of a person, the state of a subscription, what was wrong with a request, the name of an event */
  about: string | null;
  by: FoundBy;
  exact: boolean;
};

/** Which rows the one who asks may see. */
export type FindScope = {
  people: boolean;
  /** null: of every owner; undefined: none */
  clientsOf: string | null | undefined;
  /** null: each; an address: of APIs that it decides for; undefined: none */
  decidable: string | null | undefined;
  registry: boolean;
  groups: boolean;
  /** public pages of APIs */
  apis: boolean;
  keys: boolean;
  audit: boolean;
};
