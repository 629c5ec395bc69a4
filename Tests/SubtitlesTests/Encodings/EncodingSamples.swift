/// A few lines of film dialogue in many languages, with the encodings used for them.
struct EncodingSample: Sendable {
  let language: String
  /// The names for iconv, the most common first.
  let encodings: [String]
  let text: String

  static let all: [EncodingSample] = [
    EncodingSample(
      language: "fr", encodings: ["CP1252", "ISO-8859-15", "MACINTOSH"],
      text:
        "Où étais-tu passé ? Je t'ai cherché partout, même à la gare.\nÇa ne te regarde pas. C'est ma sœur qui décide."),
    EncodingSample(
      language: "de", encodings: ["CP1252", "ISO-8859-1", "MACINTOSH"],
      text:
        "Ich weiß nicht, was du meinst. Wir müssen zurück, bevor es zu spät ist.\nDas wäre schön, aber die Tür ist zu."),
    EncodingSample(
      language: "es", encodings: ["CP1252", "ISO-8859-1", "MACINTOSH"],
      text: "¿Dónde está el niño? Mañana será otro día, señor.\n¡Cuidado! Aquí no hay ningún médico. ¿Qué más quieres?"),
    EncodingSample(
      language: "pt", encodings: ["CP1252", "ISO-8859-1"],
      text: "Você não está sozinha. Amanhã é outro dia, coração.\nEles são irmãos? Não, são só amigos. Até já."),
    EncodingSample(
      language: "it", encodings: ["CP1252"],
      text: "Perché non è qui? Così non può andare, papà.\nNon c'è più niente da fare. È già tardi, chissà."),
    EncodingSample(
      language: "sv", encodings: ["CP1252", "MACINTOSH"],
      text: "Vad gör du här? Jag måste gå nu, det är för sent.\nHan är på väg hem. Förlåt, jag förstår inte."),
    EncodingSample(
      language: "da", encodings: ["CP1252"],
      text: "Hvad laver du på gården? Jeg er nødt til at gå.\nDet er også for sent. Så må du vente på mig, kære."),
    EncodingSample(
      language: "fi", encodings: ["CP1252"],
      text: "Missä sinä olet ollut? Minä en tiedä mitään.\nHän lähtee tänään. Älä pelkää, kyllä tästä selvitään."),
    EncodingSample(
      language: "is", encodings: ["CP1252"],
      text: "Hvað ertu að gera hér? Ég verð að fara núna.\nÞað er of seint, því miður. Þú veist það jafn vel og ég."),
    EncodingSample(
      language: "pl", encodings: ["CP1250", "ISO-8859-2"],
      text:
        "Gdzie byłeś przez cały ten czas? Muszę już iść.\nNie wiem, co się dzieje. Zostań tu, proszę cię, będę wkrótce."
    ),
    EncodingSample(
      language: "cs", encodings: ["CP1250", "ISO-8859-2"],
      text:
        "Kde jsi byl celou tu dobu? Musím už jít, je příliš pozdě.\nTo není možné. Řekni mu, že tě čekám před domem."),
    EncodingSample(
      language: "sk", encodings: ["CP1250"],
      text:
        "Kde si bol celý ten čas? Musím už ísť, je veľmi neskoro.\nTo nie je možné. Povedz mu, že ho čakám, a môžeš odísť."
    ),
    EncodingSample(
      language: "hu", encodings: ["CP1250", "ISO-8859-2"],
      text:
        "Hol voltál egész idő alatt? Mennem kell, már későn van.\nEz nem lehet igaz. Mondd meg neki, hogy őt várom, és ő tűnjön el."
    ),
    EncodingSample(
      language: "ro", encodings: ["CP1250", "ISO-8859-2"],
      text:
        "Unde ai fost în tot acest timp? Trebuie să plec, e prea târziu.\nNu ştiu ce să-ţi spun. Aşteaptă-mă aici şi nu te mişca."
    ),
    EncodingSample(
      language: "hr", encodings: ["CP1250", "ISO-8859-2"],
      text:
        "Gdje si bio cijelo vrijeme? Moram ići, već je kasno.\nNe možeš to učiniti. Reci mu da ću doći još večeras, može?"
    ),
    EncodingSample(
      language: "tr", encodings: ["CP1254", "ISO-8859-9"],
      text:
        "Bunca zamandır neredeydin? Gitmem gerekiyor, çok geç oldu.\nBu doğru değil. Ona söyle, kapının önünde bekliyorum, İşte böyle."
    ),
    EncodingSample(
      language: "lt", encodings: ["CP1257"],
      text:
        "Kur tu buvai visą šį laiką? Turiu eiti, jau labai vėlu.\nTai neįmanoma. Pasakyk jam, kad aš čia, ir greičiau, žmogau."
    ),
    EncodingSample(
      language: "lv", encodings: ["CP1257"],
      text:
        "Kur tu biji visu šo laiku? Man jāiet, ir jau ļoti vēls.\nTas nav iespējams. Pasaki viņam, ka es gaidīšu šeit, kā vienmēr."
    ),
    EncodingSample(
      language: "et", encodings: ["CP1257"],
      text:
        "Kus sa kogu selle aja olid? Ma pean minema, juba on väga hilja.\nSee pole võimalik. Ütle talle, et ma ootan siin, või tüdruk tuleb."
    ),
    EncodingSample(
      language: "ru", encodings: ["CP1251", "KOI8-R", "CP866", "ISO-8859-5"],
      text: "Где ты был всё это время? Мне пора идти, уже поздно.\nЭтого не может быть. Скажи ему, что я жду."),
    EncodingSample(
      language: "uk", encodings: ["CP1251", "KOI8-U", "ISO-8859-5"],
      text: "Де ти був увесь цей час? Мені треба йти, вже пізно.\nЦього не може бути. Скажи йому, що я чекаю."),
    EncodingSample(
      language: "bg", encodings: ["CP1251", "KOI8-R", "CP866", "ISO-8859-5"],
      text: "Къде беше през цялото това време? Трябва да тръгвам.\nТова не е възможно. Кажи му, че го чакам."),
    EncodingSample(
      language: "sr", encodings: ["CP1251", "ISO-8859-5"],
      text: "Где си био све ово време? Морам да идем, већ је касно.\nТо није могуће. Реци му да га чекам."),
    EncodingSample(
      language: "el", encodings: ["CP1253"],
      text: "Πού ήσουν όλη αυτή την ώρα; Πρέπει να φύγω, είναι αργά.\nΔεν γίνεται αυτό. Πες του ότι τον περιμένω."),
    EncodingSample(
      language: "he", encodings: ["CP1255"],
      text: "איפה היית כל הזמן הזה? אני חייב ללכת, כבר מאוחר.\nזה לא יכול להיות. תגיד לו שאני מחכה."),
    EncodingSample(
      language: "ar", encodings: ["CP1256"],
      text: "أين كنت طوال هذا الوقت؟ يجب أن أذهب، لقد تأخرت.\nهذا غير ممكن. قل له إنني أنتظره هنا."),
    EncodingSample(
      language: "th", encodings: ["CP874", "TIS-620"],
      text: "คุณหายไปไหนมาตลอดเวลา ฉันต้องไปแล้ว มันสายมากแล้ว\nเป็นไปไม่ได้ บอกเขาว่าฉันรออยู่ที่นี่"),
    EncodingSample(
      language: "ja", encodings: ["CP932", "EUC-JP", "ISO-2022-JP"],
      text: "今までどこにいたんだ？ もう行かなきゃ、遅いから。\nそんなはずはない。彼に待っていると伝えてくれ。"),
    EncodingSample(
      language: "zh", encodings: ["GB18030", "GBK"],
      text: "这段时间你去哪儿了？我得走了，已经很晚了。\n这不可能。告诉他我在这里等他。"),
    EncodingSample(
      language: "zh-Hant", encodings: ["BIG5"],
      text: "這段時間你去哪裡了？我得走了，已經很晚了。\n這不可能。告訴他我在這裡等他。"),
    EncodingSample(
      language: "ko", encodings: ["CP949", "EUC-KR"],
      text: "그동안 어디 있었어? 난 가야 해, 너무 늦었어.\n그럴 리가 없어. 그에게 내가 기다린다고 전해 줘."),
  ]
}
