import type { Words } from './en.ts';

export const es: Words = {
  counts: {
    attempts: 'intentos',
    busies: 'ocupados',
    connects: 'conexiones',
    liveAnswers: 'respuestas en vivo',
  },
  campaigns: { one: 'campaña', many: 'campañas' },
  accounts: { one: 'cuenta', many: 'cuentas' },
  days: { one: 'día', many: 'días' },
  partOfAttempts: (part, attempts) => `${part} de ${attempts} intentos`,
  shareOfAttempts: (rate) => `${rate} de los intentos`,
  someOf: (some, all) => `${some} de ${all}`,
  more: (count) => `${count} más`,
  moreAttached: (count) => `${count} más: el archivo de saldos adjunto los incluye todos`,
  notReported: 'sin datos del servicio',
  notLoaded: 'no cargado',
  incompleteDay: 'incompleto',
  weekOf: (days) => `semana del ${days.replace('–', ' al ')}`,
  openDashboard: 'Abrir el panel',
  period: {
    the: { day: 'del día', week: 'de la semana', month: 'del mes' },
    that: { day: 'ese día', week: 'esa semana', month: 'ese mes' },
    campaignsOf: { day: 'del día', week: 'de cada día de la semana', month: 'de cada día del mes' },
  },

  subject: {
    corrected: (subject) => `Corregido: ${subject}`,
    incomplete: (subject) => `${subject} (incompleto)`,
    mayBeLow: (subject) => `${subject} (cifras quizá bajas)`,
    connected: (rate) => `${rate} de conexión`,
    nothingLoaded: 'sin datos cargados',
    noAttempts: 'sin llamadas',
    attemptsNotReported: 'intentos sin datos del servicio',
    connectsNotReported: 'conexiones sin datos del servicio',
  },

  tiles: {
    connectRate: 'Tasa de conexión',
    attempts: 'Intentos',
    liveAnswers: 'Respuestas en vivo',
    busies: 'Ocupados',
  },
  points: (points) => `${points} puntos`,
  noChange: 'sin cambios',
  fromZero: 'sube desde 0',
  vsDay: (_short, long) => `frente al ${long}`,
  vsMonth: (month) => `frente a ${month}`,
  vsTypical: (weekday) => `frente a un ${weekday} normal`,
  vsDays: (days, before) => `${days} frente a ${before}`,
  compared: {
    vsWeek: 'frente a la semana anterior',
    earlierDays: 'los días anteriores',
    before: {
      day: 'el día anterior',
      week: 'la semana anterior',
      month: 'el mes anterior',
    },
    sameWeekday: 'ese día de la semana en las cuatro semanas anteriores',
    some: (days, accounts) => `Comparación con ${days} en ${accounts}: a las demás les faltan datos.`,
    none: (days) => `Sin comparación con ${days}: no hay suficientes datos cargados.`,
  },

  insight: {
    busier: (weekday) => `Más actividad que en un ${weekday} normal`,
    quieter: (weekday) => `Menos actividad que en un ${weekday} normal`,
    higherRate: (weekday) => `Tasa de conexión más alta que en un ${weekday} normal`,
    lowerRate: (weekday) => `Tasa de conexión más baja que en un ${weekday} normal`,
    mostly: (sentence, name, by) => `${sentence}, sobre todo por ${name} (${by})`,
    new: 'nueva',
  },

  tables: {
    columns: {
      campaign: 'Campaña',
      account: 'Cuenta',
      period: 'Periodo',
      day: 'Día',
      attempts: 'Intentos',
      connects: 'Conexiones',
      connected: 'Conexión',
      live: 'En vivo',
      typical: 'Lo normal',
      change: 'Cambio',
    },
    lastDays: (count) => `Los últimos ${count} días`,
    twoWeeks: 'La semana y la anterior',
    dayByDay: 'Día a día',
    toDate: 'Acumulado',
    weekToDate: 'Esta semana',
    monthToDate: 'Este mes',
    accounts: 'Cuentas',
    movers: 'Mayores cambios',
    topTen: 'Las diez campañas con más intentos',
    mostAttempts: 'Campañas con más intentos',
    lowestRates: 'Tasas de conexión más bajas',
  },

  notes: {
    corrected: (that) => `Corregido: este resumen sustituye al que se envió de ${that}.`,
    sameSums: 'Los totales son los mismos; han cambiado algunas campañas.',
    incomplete: (the) => `Incompleto: falta una parte ${the}.`,
    allMissing: (the) => `Incompleto: faltan todos los datos ${the}.`,
    mayBeLow: 'Es posible que las cifras sean bajas: pueden faltar campañas o recuentos.',
    whyLow: 'La propia respuesta del servicio indica que no está completa.',
    notOver: 'el día aún no había terminado',
    daysLacking: (days) => `${days} sin cargar o sin terminar`,
    correctedFollows: 'Se enviará un resumen corregido en cuanto esté disponible lo que falta.',
    unreported: 'Datos que el servicio no indica y que no entran en totales ni tasas:',
    unreportedOf: (count, some, campaigns) => `${count} en ${some} de ${campaigns}`,
    earlierDays: (days) => `También se han cargado, sin resumen propio: ${days}.`,
  },
  empty: {
    noCampaigns: (that) => `Sin llamadas: el servicio no muestra campañas ${that}.`,
    noAttempts: 'Sin llamadas: ninguna campaña hizo intentos.',
    nothingLoaded: (that) => `Todavía no hay datos cargados de ${that}.`,
  },

  attention: {
    heading: 'Requiere atención',
    pointer: (titles) => `Requiere atención: ${titles}`,
    restated: 'Cambios desde el último resumen',
    sameSums: 'los mismos totales',
    now: (sums) => `ahora ${sums}`,
    held: 'Cambios retenidos',
    heldSince: (time) =>
      `desde el ${time} el servicio indica algo muy distinto. Se mantienen las cifras anteriores hasta que lo confirme.`,
    noCalls: 'Sin llamadas en un día de la semana que suele tenerlas',
    mayBeWrong: 'Datos cargados que pueden ser erróneos',
    unreported: (counts) => `la mayoría de las campañas no indica ${counts}`,
    notice: (text) => `el servicio añadió «${text}»`,
    counts: 'el servicio anunció más campañas de las que mostró',
    unreadable: 'algunos registros no se pueden leer',
    newClients: 'Clientes nuevos',
    vanishedClients: 'Clientes que ya no aparecen',
    lowBalances: (limit) => `Saldo inferior a ${limit}`,
  },

  closing: {
    completeThrough: (day) => `Completo hasta el ${day}.`,
    incomplete: 'Todavía incompleto.',
    updated: (time) => `Actualizado: ${time}.`,
    csv: (campaignsOf) => `Todas las campañas ${campaignsOf} están en el CSV adjunto.`,
    packedCsv: (campaignsOf) =>
      `Todas las campañas ${campaignsOf} están en el CSV adjunto, comprimido en un archivo ZIP.`,
    tooLarge: (campaignsOf, megabytes) =>
      `El CSV con todas las campañas ${campaignsOf} supera los ${megabytes} MB, incluso comprimido, y no se adjunta. ` +
      'Pídalo a quien administre Callsheet.',
    glossary:
      'Intentos, conexiones, respuestas en vivo y ocupados son los que cuenta el servicio. Conexión y en vivo ' +
      'son conexiones y respuestas en vivo por intento, en las campañas que indican ambos datos. ' +
      'Un guion: sin datos del servicio o nada entre lo que dividir.',
    typical: 'Lo normal es la media de ese día de la semana en las cuatro semanas anteriores.',
  },
};
