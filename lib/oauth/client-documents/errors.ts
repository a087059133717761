// Why there is no document to work with. The message is a sentence for the developer of the client, and names nothing
// of the network of this service.

export type ClientDocumentFault =
  | 'url'
  | 'address'
  | 'redirect'
  | 'status'
  | 'gone'
  | 'media-type'
  | 'too-large'
  | 'unreadable'
  | 'client-id'
  | 'secret'
  | 'private-key'
  | 'authentication'
  | 'grants'
  | 'redirect-uris'
  | 'member';

/** What a guard, a proxy or a fallback page answers in the place of a document: it says nothing about the client. */
const NO_DOCUMENT = new Set<ClientDocumentFault>([
  'redirect',
  'status',
  'media-type',
  'too-large',
  'unreadable',
]);

/**
 * The document, or its address, is not one that may be used. Asking again does not help until its owner has changed it.
 */
export class ClientDocumentRefused extends Error {
  override name = 'ClientDocumentRefused';
  readonly reason: ClientDocumentFault;
  constructor(reason: ClientDocumentFault, sentence: string, options?: ErrorOptions) {
    super(sentence, options);
    this.reason = reason;
  }
  /** The answer was not a client's document: a good copy from before still counts. */
  get isNoDocument(): boolean {
    return NO_DOCUMENT.has(this.reason);
  }
}

/** Unknown: its host does not answer, or the limit of calls was reached. */
export class ClientDocumentUnavailable extends Error {
  override name = 'ClientDocumentUnavailable';
  readonly retryAfterSeconds: number;
  constructor(sentence: string, retryAfterSeconds: number, options?: ErrorOptions) {
    super(sentence, options);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
