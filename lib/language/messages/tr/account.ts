import type { Messages } from '../types.ts';

export const accountTr: Pick<Messages, 'account'> = {
  account: {
    may_not: 'Bunu yapmanıza izin verilmiyor',
    another_link: 'Başka bir bağlantı iste',
    back_to_sign_in: 'Oturum açmaya dön',
    choose_password: 'Yeni bir parola seçin',
    link_used: 'Bu bağlantı artık çalışmıyor',
    link_used_lead: 'Daha önce kullanılmış ya da çok eski.',
    mail_here: 'Bu hizmetin e-posta sunucusu yok: iletiyi {address} adresinde okuyun.',
    marked: 'Henüz hiçbir şey kaydedilmedi. Aşağıda işaretlenenlere bakın.',
    new_password: 'Yeni parola',
    not_there: 'Bulunamadı',
    open_again: 'Sayfayı yeniden aç',
    reset_asked:
      'E-postadaki bağlantıyı {minutes} dakika içinde açın. Bir şey gelmedi mi? İstenmeyen postalara bakın.',
    reset_for: '{email} için. Tüm oturumlar sona erer ve yeni parolayla oturum açarsınız.',
    reset_lead: 'Adresinize bir bağlantı göndeririz. Bir kez çalışır.',
    reset_notice: 'Bu adrese ait bir hesap varsa adrese bir bağlantı gönderildi.',
    reset_sent: 'E-postanıza bakın',
    save_password: 'Parolayı kaydet',
    send_link: 'Bağlantıyı gönder',
    to_account: 'Hesabınıza git',
    too_old: 'Bu sayfa çok uzun süre ya da başka bir tarayıcıda açık kaldı. Bir kez daha deneyin.',
    unreachable: 'Hizmet yanıt vermedi. Biraz bekleyip yeniden gönderin: yalnızca bir kez kabul edilir.',
    verify: 'Evet, benim',
    verify_heading: 'Bu adres sizin mi?',
    verify_used_lead: 'Daha önce kullanılmış ya da çok eski. Hesabınızda yenisini isteyebilirsiniz.',
  },
};
