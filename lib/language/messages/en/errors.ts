export const errorsEn = {
  errors: {
    another_browser:
      'The link is incomplete, or was opened in another browser. Go back to the application and start again.',
    cannot_show: 'We cannot show this page at the moment. Wait a little, then load it again.',
    elsewhere_or_late:
      'The sign-in was started in another browser, or more than ten minutes ago. Go back to the application and start again.',
    expired: 'This sign-in has expired',
    expired_lead: 'More than ten minutes have passed. Go back to the application and start again.',
    form: 'This form is no longer valid',
    form_lead:
      'It was sent from another page or browser, or someone else has signed in since. Go back to the application and start again.',
    link: 'This sign-in link does not work',
    mistyped: 'The address is mistyped, or the page was removed.',
    moment: 'One moment, please',
    no_cookies:
      'The link was opened in another browser, or this browser does not store cookies of this site. Allow these cookies, then go back to the application and start again.',
    no_page: 'Page not found',
    no_return: 'The link contains no return address. Tell the person who gave you the link.',
    nothing_here: 'This address does not exist. Check the link, or tell the person who gave you the link.',
    not_available: 'Not available right now',
    not_opened_so: 'It cannot be opened in this way. Go back to the application and start again.',
    pushed_request:
      'The link of this sign-in was used already, is too old, or was changed. Go back to the application and start again.',
    service_unavailable: 'The service is not available. Try again in a moment.',
    sign_out_link: 'This sign-out link does not work',
    sign_out_link_lead: 'Nobody was signed out. Go back to the application and try again.',
    slow_lead: 'Your browser took too long to send this, so it was not read. Go back and send it again.',
    started_elsewhere: 'This address is a step of a sign-in that was started elsewhere.',
    started_elsewhere_or_late:
      'This sign-in was started elsewhere or too long ago. Go back to the application and start again.',
    too_much: 'Your browser sent too much',
    too_much_lead:
      'Usually it is the cookies that other websites of this domain have stored. Delete the cookies of this domain in the settings of your browser, then go back to the application and start again.',
    two_applications: 'The link names its application more than once.',
    two_returns: 'The link names more than one return address.',
    unknown_application: 'The application that sent you here is not known, or no longer in use.',
    unnamed_application: 'The link does not name its application. Tell the person who gave you the link.',
    unreadable: 'This address cannot be read',
    unreadable_lead:
      'It contains a character that is not allowed in text. Check it, or start again from the first page.',
    unregistered_return: 'The link would return to an address that is not registered for this application.',
    used_step: 'You have returned to a step of a sign-in that was used before. You can continue from here.',
    wrong: 'Something went wrong',
    wrong_lead: 'Something went wrong on our side. Tell the operator the request id.',
  },
  agent: {
    unreachable:
      'The identity of the application that sent you here cannot be checked right now. Try again in a moment.',
    asks_for: 'It asks for',
    application: 'Application',
    blocked: 'This application is blocked',
    blocked_lead: 'The people who run this service have blocked it. Nothing was shared with it.',
    from: 'From',
    full: 'Many applications are already waiting for a decision. Try again when some are decided.',
    full_day: 'You have asked for many applications today. Try again tomorrow.',
    full_host:
      'Several applications of the same host are already waiting for a decision. Try again when some are decided.',
    full_person:
      'You have already asked for several applications that are not decided yet. Wait for those first.',
    improper:
      'The application that sent you here does not identify itself correctly. Tell the people who made it.',
    look_again: 'Look again',
    many: 'Too many requests are waiting',
    not_approved: 'This application was not approved',
    not_approved_lead:
      'The people who run this service decided against it. Ask them if you think that it should be used here.',
    not_for_you: 'You may not use this application here',
    not_for_you_lead:
      'Only certain people may use {api} with {client}, and the account that you are signed in with is not one of them. Nothing was shared. Ask the people who run {api} if you need access. If they have just given you access, sign in again.',
    not_listed: 'This application cannot be used here',
    not_listed_lead:
      'Only applications of certain hosts may ask for access to this service, and this one is not among them. Nobody was asked, and nothing was shared.',
    returns_to: 'Returns to',
    revoked: 'This application may no longer be used',
    revoked_lead: 'Its approval was revoked. Ask the people who run this service if you need it.',
    sign_in_again: 'Sign in again',
    suspended: 'This application is suspended',
    suspended_lead:
      'It may not be used here for the time being. Try again later, or ask the people who run this service.',
    waiting: 'Waiting for approval',
    waiting_lead:
      '{client} wants access to {api}. One of the people who run {api} must approve that first, and they have been notified. Keep this page open, or start again from the application later: you can continue once they have decided.',
  },
} as const;
