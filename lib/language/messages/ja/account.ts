import type { Messages } from '../types.ts';

export const accountJa: Pick<Messages, 'account'> = {
  account: {
    may_not: 'この操作はできません',
    another_link: '新しいリンクを依頼する',
    back_to_sign_in: 'ログインに戻る',
    choose_password: '新しいパスワードを設定',
    link_used: 'このリンクは使えません',
    link_used_lead: '使用済みか、期限が切れています。',
    mail_here: 'このサービスにはメールサーバーがないため、メールは {address} でご確認ください。',
    marked: 'まだ何も保存されていません。下の印の付いた項目をご確認ください。',
    new_password: '新しいパスワード',
    not_there: '見つかりません',
    open_again: 'ページを開き直す',
    reset_asked:
      'メールのリンクを {minutes} 分以内に開いてください。届かない場合は、迷惑メールをご確認ください。',
    reset_for: '{email} のパスワードです。すべてのログインが終了し、新しいパスワードでログインします。',
    reset_lead: 'お使いのアドレスにリンクを送ります。一度だけ使えます。',
    reset_notice: 'このアドレスのアカウントがある場合は、リンクをお送りしています。',
    reset_sent: 'メールをご確認ください',
    save_password: 'パスワードを保存',
    send_link: 'リンクを送信',
    to_account: 'アカウントへ進む',
    too_old:
      'このページを開いたまま時間が経ちすぎたか、別のブラウザーで開かれていました。もう一度お試しください。',
    unreachable:
      'サービスから応答がありません。少し待ってから、もう一度送信してください。二重に受け付けられることはありません。',
    verify: 'はい、私のアドレスです',
    verify_heading: 'これはあなたのアドレスですか？',
    verify_used_lead: '使用済みか、期限が切れています。アカウントのページで新しいリンクを依頼できます。',
  },
};
