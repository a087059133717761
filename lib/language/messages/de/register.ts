export const registerDe = {
  register: {
    another_address: 'Andere Adresse verwenden',
    another_code: 'Neuen Code senden',
    approval_lead:
      'Ein Administrator entscheidet, ob Sie es bekommen. Bestätigen Sie zuerst, dass die Adresse Ihnen gehört.',
    approved: 'Melden Sie sich mit dem Passwort an, das Sie gewählt haben.',
    approved_elsewhere:
      'Gehen Sie zurück zur Anwendung und melden Sie sich dort mit dem Passwort an, das Sie gewählt haben.',
    ask: 'Konto beantragen',
    closed:
      'Konten legt der Betreiber dieses Dienstes an. Gehen Sie zurück zur Anwendung oder fragen Sie dort nach.',
    closed_heading: 'Hier kann kein Konto angelegt werden',
    code_heading: 'Geben Sie den Code ein',
    code_hint:
      'Sechs Ziffern; der Link daneben leistet in diesem Browser dasselbe. Nichts angekommen? Sehen Sie im Spam-Ordner nach.',
    code_lead: 'Wir haben eine E-Mail an {email} geschickt. Der Code darin gilt zehn Minuten.',
    create: 'Konto anlegen',
    elsewhere:
      'Dieser Link funktioniert zehn Minuten lang in dem Browser, in dem Sie ihn angefordert haben. Geben Sie dort den Code aus der E-Mail ein oder gehen Sie zurück zur Anwendung und beginnen Sie noch einmal.',
    elsewhere_heading: 'Geben Sie den Code dort ein, wo Sie begonnen haben',
    email_hint: 'Wir senden einen Code dorthin, um zu bestätigen, dass die Adresse Ihnen gehört.',
    full: 'Im Moment kann niemand mehr ein Konto beantragen, und von Ihren Angaben wurde nichts gespeichert. Versuchen Sie es an einem anderen Tag noch einmal.',
    full_heading: 'Zu viele Personen warten',
    gone: 'Das Formular wurde zweimal oder zu spät abgeschickt. Melden Sie sich mit dem gewählten Passwort an oder beginnen Sie noch einmal.',
    gone_heading: 'Diese Seite wird nicht mehr gebraucht',
    invitation_gone:
      'Sie wurde schon verwendet oder zurückgezogen oder ist zu alt. Wenn Sie Ihr Konto damit angelegt haben, melden Sie sich an; sonst fragen Sie, wer Sie eingeladen hat.',
    invitation_gone_heading: 'Diese Einladung funktioniert nicht',
    invited_lead: 'Sie sind als {email} eingeladen. Wählen Sie, wie Sie sich anmelden.',
    lead: 'Sie brauchen nur eine E-Mail-Adresse und ein Passwort.',
    link_heading: 'Bestätigen Sie Ihre Adresse',
    link_lead:
      'Sie haben die E-Mail an {email} geöffnet. Machen Sie hier weiter oder tun Sie nichts, wenn Sie kein Konto wollten.',
    name: 'Name',
    name_wrong: 'Dieser Name ist zu lang oder enthält unsichtbare Zeichen.',
    not_an_address: 'Das ist keine E-Mail-Adresse. Sie sieht so aus: ada@example.com.',
    password_heading: 'Wählen Sie ein Passwort',
    password_lead: '{email} gehört Ihnen. Wählen Sie nun, wie Sie sich damit anmelden.',
    ready: 'Ihre Adresse ist bestätigt, und Sie können sich mit Ihrem Passwort anmelden.',
    ready_heading: 'Ihr Konto ist bereit',
    send: 'Code senden',
    sent_again: 'Wir haben einen neuen Code geschickt. Der vorherige gilt nicht mehr.',
    taken:
      'Inzwischen wurde ein Konto für Ihre Adresse angelegt. Melden Sie sich an oder wählen Sie ein neues Passwort.',
    taken_heading: 'Sie haben schon ein Konto',
    too_many_mails:
      'Es wurden zu viele E-Mails angefordert. Warten Sie eine Weile und versuchen Sie es dann noch einmal.',
    too_many_mails_until:
      'Es wurden zu viele E-Mails angefordert. Versuchen Sie es um {time} Uhr (UTC) noch einmal.',
    waits:
      'Ein Administrator entscheidet, ob Sie ein Konto bekommen; Sie erfahren es per E-Mail. Melden Sie sich dann mit dem gewählten Passwort an.',
    waits_already:
      'Sie haben schon früher ein Konto beantragt. Dieser Antrag gilt weiter, mit dem Passwort, das Sie damals gewählt haben. Eine E-Mail teilt Ihnen die Entscheidung mit.',
    wrong_code: 'Dieser Code ist nicht richtig. Fordern Sie nach fünf falschen einen neuen an.',
    wrong_link:
      'Dieser Link ist zu alt oder gehört zu einer anderen E-Mail. Geben Sie stattdessen den Code ein.',
  },
  new_password: {
    by_passkey:
      'Ihr Passwort muss ersetzt werden, und dabei wird Ihr zweiter Faktor verlangt. Sie haben nur Passkeys: Melden Sie sich mit einem davon an.',
    fair: 'Mittel: ein weiteres Wort macht es viel stärker',
    good: 'Gut',
    hint: 'Mindestens {least} Zeichen. Mehrere Wörter hintereinander sind leicht zu merken und schwer zu erraten. Verwenden Sie nicht Ihren Namen oder Ihre Adresse.',
    hide: 'Verbergen',
    known: 'Dieses Passwort ist zu leicht zu erraten: Viele Menschen verwenden es.',
    leaked: 'Andere kennen dieses Passwort: Es war in einem Datenleck.',
    long: 'Ein Passwort hat höchstens 200 Zeichen.',
    more: 'Es {count, plural, one {fehlt noch # Zeichen} other {fehlen noch # Zeichen}}',
    owed: 'Für {person}. Ihr Passwort muss ersetzt werden, bevor es weitergeht. Das eben verwendete kann nicht noch einmal gewählt werden.',
    own_words:
      'Dieses Passwort ist zu leicht zu erraten: Es ist eine Adresse oder ein Name, den andere kennen.',
    short: 'Ein Passwort hat mindestens {least} Zeichen.',
    show: 'Anzeigen',
    strong: 'Stark',
    too_easy: 'Dieses Passwort ist zu leicht zu erraten.',
    weak: 'Schwach: immer wieder dieselben Zeichen',
  },
  passkey: {
    asking:
      'Ihr Browser fragt jetzt nach Ihrem Passkey. Wenn nichts geschieht, drücken Sie noch einmal auf die Schaltfläche, oder nehmen Sie einen anderen Weg.',
    exists_there: 'Auf diesem Gerät gibt es schon einen Passkey für dieses Konto.',
    full: 'Sie haben 20 Passkeys. Entfernen Sie einen, den Sie nicht mehr verwenden, und fügen Sie dann diesen hinzu.',
    nothing_used:
      'Es wurde kein Passkey verwendet. Sie können es noch einmal versuchen oder einen anderen Weg nehmen.',
    picture: 'QR-Code für eine Authenticator-App',
  },
  page: {
    copied: 'Kopiert',
    framed: 'Diese Seite lässt sich nicht in einem Frame anzeigen',
    framed_lead: 'Öffnen Sie ihre Adresse direkt im Fenster oder verwenden Sie prompt=none.',
    yours: 'Diese Anmeldung gehört Ihnen.',
  },
};
