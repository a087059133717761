export const errorsDe = {
  errors: {
    another_browser:
      'Er ist unvollständig oder wurde in einem anderen Browser geöffnet. Gehen Sie zurück zur Anwendung und fangen Sie noch einmal an.',
    cannot_show:
      'Wir können diese Seite gerade nicht anzeigen. Warten Sie ein wenig und laden Sie sie dann neu.',
    elsewhere_or_late:
      'Die Anmeldung wurde in einem anderen Browser oder vor mehr als zehn Minuten begonnen. Gehen Sie zurück zur Anwendung und fangen Sie noch einmal an.',
    expired: 'Diese Anmeldung ist abgelaufen',
    expired_lead:
      'Es sind mehr als zehn Minuten vergangen. Gehen Sie zurück zur Anwendung und fangen Sie noch einmal an.',
    form: 'Dieses Formular gilt nicht mehr',
    form_lead:
      'Es wurde von einer anderen Seite oder aus einem anderen Browser abgeschickt, oder seitdem hat sich jemand anderes angemeldet. Gehen Sie zurück zur Anwendung und fangen Sie noch einmal an.',
    link: 'Dieser Anmeldelink funktioniert nicht',
    mistyped: 'Die Adresse ist vertippt, oder was hier war, ist nicht mehr da.',
    moment: 'Einen Moment, bitte',
    no_cookies:
      'Er wurde in einem anderen Browser geöffnet, oder dieser bewahrt keine Cookies dieser Seite auf. Erlauben Sie sie, gehen Sie dann zurück zur Anwendung und fangen Sie noch einmal an.',
    no_page: 'Diese Seite gibt es nicht',
    no_return:
      'Der Link sagt nicht, wohin es zurückgehen soll. Sagen Sie es der Person, von der Sie ihn haben.',
    nothing_here:
      'Diese Adresse gibt es nicht. Prüfen Sie den Link, oder sagen Sie es der Person, von der Sie ihn haben.',
    not_available: 'Zurzeit nicht verfügbar',
    not_opened_so:
      'So lässt sich das nicht öffnen. Gehen Sie zurück zur Anwendung und fangen Sie noch einmal an.',
    pushed_request:
      'Der Link dieser Anmeldung wurde schon benutzt, ist zu alt oder wurde verändert. Gehen Sie zurück zur Anwendung und fangen Sie noch einmal an.',
    service_unavailable: 'Der Dienst ist gerade nicht verfügbar. Versuchen Sie es gleich noch einmal.',
    sign_out_link: 'Dieser Abmeldelink funktioniert nicht',
    sign_out_link_lead:
      'Es wurde niemand abgemeldet. Gehen Sie zurück zur Anwendung und versuchen Sie es noch einmal.',
    slow_lead:
      'Ihr Browser hat zu lange gebraucht, um das zu senden, deshalb wurde es nicht gelesen. Gehen Sie zurück und senden Sie es noch einmal.',
    started_elsewhere: 'Diese Adresse gehört zu einer Anmeldung, die anderswo begonnen wurde.',
    started_elsewhere_or_late:
      'Diese Anmeldung wurde anderswo oder vor zu langer Zeit begonnen. Gehen Sie zurück zur Anwendung und fangen Sie noch einmal an.',
    too_much: 'Ihr Browser hat zu viel geschickt',
    too_much_lead:
      'Meist liegt es an den Cookies, die andere Websites dieser Domain gespeichert haben. Löschen Sie die Cookies dieser Domain in den Einstellungen Ihres Browsers, gehen Sie dann zurück zur Anwendung und fangen Sie noch einmal an.',
    two_applications: 'Der Link nennt seine Anwendung mehr als einmal.',
    two_returns: 'Der Link nennt mehr als eine Rückkehradresse.',
    unknown_application:
      'Die Anwendung, die Sie hierher geschickt hat, ist nicht bekannt oder nicht mehr in Gebrauch.',
    unnamed_application:
      'Der Link sagt nicht, von welcher Anwendung er ist. Sagen Sie es der Person, von der Sie ihn haben.',
    unreadable: 'Diese Adresse kann nicht gelesen werden',
    unreadable_lead:
      'Sie enthält ein Zeichen, das in Texten nicht erlaubt ist. Prüfen Sie sie, oder fangen Sie auf der ersten Seite noch einmal an.',
    unregistered_return:
      'Der Link würde zu einer Adresse zurückführen, die für diese Anwendung nicht registriert ist.',
    used_step:
      'Sie sind zu einem Teil einer Anmeldung zurückgekehrt, der schon benutzt wurde. Von hier aus geht es weiter.',
    wrong: 'Etwas ist schiefgegangen',
    wrong_lead: 'Bei uns ist etwas schiefgegangen. Nennen Sie dem Betreiber die Anfrage-ID.',
  },
  agent: {
    unreachable:
      'Die Angaben der Anwendung, von der Sie kommen, lassen sich gerade nicht abrufen. Versuchen Sie es gleich noch einmal.',
    asks_for: 'Sie bittet um',
    application: 'Anwendung',
    blocked: 'Diese Anwendung ist gesperrt',
    blocked_lead: 'Der Betreiber dieses Dienstes hat sie gesperrt. Es wurde nichts an sie weitergegeben.',
    from: 'Von',
    full: 'Es warten schon viele Anwendungen auf eine Entscheidung. Versuchen Sie es noch einmal, wenn über einige entschieden ist.',
    full_day: 'Sie haben heute für viele Anwendungen angefragt. Versuchen Sie es morgen noch einmal.',
    full_host:
      'Es warten schon mehrere Anwendungen desselben Hosts auf eine Entscheidung. Versuchen Sie es noch einmal, wenn über einige entschieden ist.',
    full_person:
      'Sie haben schon für mehrere Anwendungen angefragt, über die noch niemand entschieden hat. Warten Sie diese erst ab.',
    improper:
      'Die Anwendung, die Sie hierher geschickt hat, weist sich nicht richtig aus. Sagen Sie es denen, die sie entwickelt haben.',
    look_again: 'Noch einmal nachsehen',
    many: 'Es warten zu viele Anfragen',
    not_approved: 'Diese Anwendung wurde nicht genehmigt',
    not_approved_lead:
      'Der Betreiber dieses Dienstes hat sich dagegen entschieden. Fragen Sie dort nach, wenn Sie meinen, dass sie hier benutzt werden sollte.',
    not_for_you: 'Sie dürfen diese Anwendung hier nicht benutzen',
    not_for_you_lead:
      '{client} darf {api} für bestimmte Personen benutzen, und das Konto, mit dem Sie angemeldet sind, gehört nicht dazu. Es wurde nichts weitergegeben. Fragen Sie bei denen nach, die {api} betreuen, wenn Sie Zugang brauchen; wenn Sie ihn gerade bekommen haben, melden Sie sich noch einmal an.',
    not_listed: 'Diese Anwendung kann hier nicht benutzt werden',
    not_listed_lead:
      'Nur Anwendungen bestimmter Hosts dürfen um Zugriff auf diesen Dienst bitten, und diese gehört nicht dazu. Es wurde niemand gefragt und nichts weitergegeben.',
    returns_to: 'Führt zurück zu',
    revoked: 'Diese Anwendung darf nicht mehr benutzt werden',
    revoked_lead:
      'Ihre Genehmigung wurde widerrufen. Fragen Sie bei denen nach, die diesen Dienst betreuen, wenn Sie sie brauchen.',
    sign_in_again: 'Noch einmal anmelden',
    suspended: 'Diese Anwendung ist ausgesetzt',
    suspended_lead:
      'Sie darf hier bis auf Weiteres nicht benutzt werden. Versuchen Sie es später noch einmal, oder fragen Sie bei denen nach, die diesen Dienst betreuen.',
    waiting: 'Wartet auf Genehmigung',
    waiting_lead:
      '{client} möchte Zugriff auf {api}, und das müssen die Zuständigen erst genehmigen. Sie wurden benachrichtigt. Lassen Sie diese Seite offen, oder beginnen Sie später in der Anwendung von vorn: Sobald entschieden ist, geht es weiter.',
  },
};
