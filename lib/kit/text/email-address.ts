// The one form of an e-mail address, in which it is stored, found, limited and compared: browsers, files and APIs send
// the same domain as A-labels or as U-labels (RFC 5890 §2.3.2.1), and the same letters composed or not.
import { domainToASCII, domainToUnicode } from 'node:url';

/**
 * A-labels of the domain, NFC of the local part, all in lower case. A domain that is neither its own A-labels nor its
 * own U-labels is only put in lower case, and so is text without `@`.
 */
export function canonicalEmail(text: string): string {
  const plain = text.normalize('NFC').toLowerCase().normalize('NFC');
  const at = plain.lastIndexOf('@') + 1;
  const ascii = aLabels(plain.slice(at));
  return at === 0 || ascii === null ? plain : plain.slice(0, at) + ascii;
}

/** Null: not a domain, or another spelling of one than its A-labels and its U-labels. */
function aLabels(host: string): string | null {
  const ascii = domainToASCII(host);
  return ascii !== '' && (host === ascii || host === domainToUnicode(ascii)) ? ascii : null;
}

/** For people to read: the domain as U-labels, wherever they lead back to the same address. */
export function shownEmail(address: string): string {
  const at = address.lastIndexOf('@') + 1;
  const shown = address.slice(0, at) + domainToUnicode(address.slice(at));
  return at > 0 && canonicalEmail(shown) === address ? shown : address;
}

/**
 * What is looked for in a column of addresses: the canonical form of an address, of `@domain`, or of a whole domain.
 */
export function canonicalSearch(text: string): string {
  if (text.includes('@')) return canonicalEmail(text);
  return text.includes('.') ? canonicalEmail(`@${text}`).slice(1) : canonicalEmail(text);
}
