// Texts for people who create an account, for new passwords, and for the script of passkeys.
export const registerEn = {
  register: {
    another_address: 'Use another address',
    another_code: 'Send another code',
    approval_lead:
      'An administrator decides whether you get an account. First confirm that your address is yours.',
    approved: 'Sign in with the password that you chose.',
    approved_elsewhere: 'Go back to the application, and sign in there with the password that you chose.',
    ask: 'Ask for the account',
    closed:
      'Accounts are created by the people who run this service. Go back to the application, or ask there.',
    closed_heading: 'You cannot create an account here',
    code_heading: 'Enter the code',
    code_hint:
      'Six digits. The link in the mail does the same in this browser. No mail? Check your spam folder.',
    code_lead: 'We sent a mail to {email}. Its code works for ten minutes.',
    create: 'Create the account',
    elsewhere:
      'This link works in the browser that asked for it, and for ten minutes. Enter the code from the mail there, or go back to the application and start again.',
    elsewhere_heading: 'Enter the code where you started',
    email_hint: 'We send a code to this address, to confirm that it is yours.',
    full: 'Nobody else can ask for an account at the moment, and nothing that you entered was kept. Try again another day.',
    full_heading: 'Too many people are waiting',
    gone: 'The form was sent twice, or too late. Sign in with the password that you chose, or start again.',
    gone_heading: 'This page is no longer needed',
    invitation_gone:
      'It has been used or withdrawn, or is too old. If you created your account with it, sign in; otherwise ask the person who invited you.',
    invitation_gone_heading: 'This invitation does not work',
    invited_lead: 'You are invited as {email}. Choose how you sign in.',
    lead: 'You only need an email address and a password.',
    link_heading: 'Confirm your address',
    link_lead:
      'You opened the mail to {email}. Continue here, or do nothing if you did not ask for an account.',
    name: 'Name',
    name_wrong: 'This name is too long, or contains invisible characters.',
    not_an_address: 'This is not an email address. It looks like ada@example.com.',
    password_heading: 'Choose a password',
    password_lead: '{email} is yours. Now choose how you sign in with it.',
    ready: 'Your address is confirmed, and you can sign in with your password.',
    ready_heading: 'Your account is ready',
    send: 'Send the code',
    sent_again: 'We sent another code. The previous one no longer works.',
    taken: 'An account was created for your address in the meantime. Sign in, or choose a new password.',
    taken_heading: 'You already have an account',
    too_many_mails: 'Too many mails were requested. Wait a while, then try again.',
    too_many_mails_until: 'Too many mails were requested. Try again at {time} UTC.',
    waits:
      'An administrator decides whether you get an account, and you are notified by mail. Then sign in with the password that you chose.',
    waits_already:
      'You have already asked for an account. That request is still waiting, with the password that you chose then. You are notified of the decision by mail.',
    wrong_code: 'That code is not right. After five wrong codes, ask for another one.',
    wrong_link: 'This link is too old, or belongs to another mail. Enter the code instead.',
  },
  new_password: {
    by_passkey:
      'Your password has to be replaced, and your second factor is asked for with it. You have only passkeys: sign in with one of them.',
    fair: 'Fair: another word makes it much stronger',
    good: 'Good',
    hint: 'At least {least} characters. Several words in a row are easy to remember and hard to guess. Do not use your name or address.',
    hide: 'Hide',
    known: 'this password is too easy to guess: many people use it',
    leaked: 'this password is known to others: it was in a data breach',
    long: 'a password has at most 200 characters',
    more: '{count, plural, one {# more character} other {# more characters}} needed',
    owed: 'For {person}. Your password has to be replaced before you continue. The one that you have just used cannot be chosen again.',
    own_words: 'this password is too easy to guess: it is an address or a name that others know',
    short: 'a password has at least {least} characters',
    show: 'Show',
    strong: 'Strong',
    too_easy: 'this password is too easy to guess',
    weak: 'Weak: the same characters again and again',
  },
  passkey: {
    asking:
      'Your browser asks for your passkey now. If nothing happens, press the button again, or use another way.',
    exists_there: 'There already is a passkey for this account on that device.',
    full: 'You have 20 passkeys. Remove one that you no longer use, then add this one.',
    nothing_used: 'No passkey was used. You can try again, or use another way.',
    picture: 'QR code for an authenticator app',
  },
  page: {
    copied: 'Copied',
    framed: 'This page cannot be shown in a frame',
    framed_lead: 'Open its address in the window itself, or ask with prompt=none.',
    yours: 'That sign-in is yours.',
  },
} as const;
