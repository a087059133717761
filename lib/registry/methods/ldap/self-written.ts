// Attributes that people of a directory write themselves, in any spelling (RFC 4512 §2.5): Active Directory lets each
// person write the property set Personal-Information, and directories commonly allow the names and photos of inetOrgPerson.
const SELF_WRITTEN = new Set(
  [
    ...[
      'mail',
      'cn',
      'sn',
      'givenName',
      'displayName',
      'initials',
      'jpegPhoto',
      'photo',
      'preferredLanguage',
    ],
    ...[
      'assistant',
      'c',
      'facsimileTelephoneNumber',
      'homePhone',
      'homePostalAddress',
      'info',
      'ipPhone',
      'l',
    ],
    ...['internationaliSDNNumber', 'labeledURI', 'mobile', 'otherFacsimileTelephoneNumber', 'otherHomePhone'],
    ...['otherIpPhone', 'otherMobile', 'otherPager', 'otherTelephone', 'pager', 'personalTitle'],
    ...['physicalDeliveryOfficeName', 'postalAddress', 'postalCode', 'postOfficeBox', 'publicDelegates'],
    ...['preferredDeliveryMethod', 'registeredAddress', 'st', 'street', 'streetAddress', 'telephoneNumber'],
    ...['telexNumber', 'thumbnailPhoto', 'url', 'userCertificate', 'userSMIMECertificate', 'wWWHomePage'],
  ].map((name) => name.toLowerCase()),
);

/** The attribute without its options (`mail;lang-de`). */
export const isSelfWritten = (attribute: string): boolean =>
  SELF_WRITTEN.has((attribute.split(';')[0] ?? '').toLowerCase());
