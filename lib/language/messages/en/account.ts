// Texts about the account for people who are not signed in: a forgotten password, and the links of mails.
export const accountEn = {
  account: {
    may_not: 'You may not do this',
    another_link: 'Ask for another one',
    back_to_sign_in: 'Back to the sign-in',
    choose_password: 'Choose a new password',
    link_used: 'This link no longer works',
    link_used_lead: 'It was used already, or is too old.',
    marked: 'Nothing was saved yet. Look at what is marked below.',
    new_password: 'New password',
    new_password_hint:
      'At least {least} characters. A few words in a row are easy to remember and hard to guess.',
    not_there: 'It is not there',
    open_again: 'Open the page again',
    reset_asked:
      'Open the link in the mail within {minutes} minutes. Nothing came? Look among the unwanted mail.',
    reset_for: 'For {email}. Every sign-in ends, and you sign in with it.',
    reset_lead: 'We send a link to your address. It works once.',
    reset_notice: 'If there is an account with that address, a link is on its way to it.',
    save_password: 'Save the password',
    send_link: 'Send the link',
    to_account: 'Go to your account',
    too_old: 'This page was open for too long, or in another browser. Try once more.',
    unreachable: 'The service did not answer. Wait a moment, then send this again: it is taken only once.',
    verify: 'Yes, it is mine',
    verify_heading: 'Is this your address?',
    verify_used_lead: 'It was used already, or is too old. Your account has a button for another one.',
  },
} as const;
