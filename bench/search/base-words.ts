/** Common English words that take regular endings without a doubled letter, for `made-words.ts`. */

const list = (words: string): readonly string[] => words.trim().split(/\s+/);

export const VERBS = list(`
  accept achieve adapt admire adopt advance advise agree allow alter amuse analyse announce answer appear apply approach
  approve argue arrange arrest arrive assemble assess assign assist assume attach attack attempt attend attract avoid
  bake balance behave believe belong blame blend block boil borrow bother bounce brush call cancel capture care
  carry cause celebrate challenge change charge chase check cheer choke claim clean clear climb close collect colour
  combine comfort command comment compare compete complain complete compose conceal concern conclude conduct confirm
  connect consider consist construct consume contact contain continue convert convince cook copy correct count cover
  crash create cross crush cure damage dance dare decay deceive decide decorate decrease defeat defend define delay
  delight deliver demand deny depart depend describe deserve design desire destroy detect develop direct discover discuss
  dislike display divide double doubt dream dress drift drown dust earn edit educate elect embrace employ enable
  encourage engage enjoy enter escape establish estimate examine excite excuse exercise exist expand expect explain
  explode explore export express extend face fail farm fasten favour fetch file fill filter finance finish fire fold
  follow force form frame free frighten gather glow govern grant greet guard guess guide hammer handle happen
  harvest heal heat help hesitate highlight hire hope hover hunt hurry identify ignore imagine import impress improve
  include increase indicate inform inhabit inspect inspire install intend introduce invent invest invite involve iron
  join joke judge jump kick kill kiss knock label land laugh launch learn lecture level lift light limit link
  listen load lock look love lower maintain manage march mark master match matter measure melt mend mention milk mind
  mine mount move multiply murder need neglect notice obey object observe obtain occupy offer open operate oppose
  order organise overlook pack paint pardon park pass pause perform persuade phone pick plant play please
  point polish pour practise praise pray predict prepare present preserve press pretend prevent print proceed
  process produce promise promote propose protect prove provide publish pull pump punish purchase push question
  raise reach react realise receive recognise recommend record recover reduce reflect refuse regard reject relate
  relax release rely remain remember remind remove repair repeat replace reply report represent request rescue research
  resist resolve respect respond rest restore retire return reveal review reward risk roll ruin rush sail satisfy save
  scare scatter scream search select separate serve settle shape share shelter shift shock shout sign signal sketch slice
  smash smile smoke soak solve sort sound spark spell spill spoil spray squeeze stain stamp start state stay steer
  stitch strain strengthen stress stretch study succeed suffer suggest supply support suppose surprise surround
  survive suspect switch taste tease telephone test thank tick tidy touch tour trace track trade train transform
  translate transport travel treat tremble trick trouble trust turn twist type unite update urge vanish visit voice
  vote wait walk wander want warm warn wash waste watch water wave weigh welcome whisper whistle wish wonder work
  worry wreck yell yield
`);

export const NOUNS = list(`
  account acid acre actor adult agency agent airport album alley almond alphabet amount anchor angle animal ankle apple
  apron arch area argument arm armchair army arrow article artist ashtray aspect athlete attic audience aunt author autumn
  avenue badge bakery balcony ball balloon banana band bandage bank banner bargain barn barrel basin basket bath battery
  battle beach bead beam bean bear beard beast bed bedroom beetle bell belt bench berry bicycle bill bird biscuit
  blanket blossom board boat body bone bonnet book boot border boss bottle boundary bowl branch brand bread breath brick
  bride bridge broom brother bucket budget bullet bundle bureau burger burglar bush button cabbage cabin cabinet cable
  cake calendar camel camera camp canal candle candy cannon canoe canvas canyon captain caravan carbon card carpet
  carrot cart castle cattle cave ceiling cellar cement cent centre century cereal chain chair chalk channel chapter
  cheese chef cherry chest chicken chimney chin circle circuit circus citizen clerk cliff clinic clock cloth cloud clown
  clue coach coal coast coat coconut coffee coin collar colony column comet comic committee company compass computer
  concert cone contract copper coral cord corn corner corridor cottage cotton couch council counter country couple
  course court cousin cradle craft crane crater crayon creature crew cricket crime crop crowd crown crystal cube
  cucumber cupboard currency current curtain curve cushion custom customer cycle dagger dairy daisy dancer danger daughter
  deck deer degree dentist desert desk dessert detail device dialogue diamond diary dictionary diet dinner diploma dish
  distance district ditch doctor document dollar dolphin domain donkey door dragon drama drawer drawing drill driver drum
  eagle earthquake economy edge editor effect effort elbow element elephant emblem emotion empire energy engine
  engineer envelope episode error estate event evidence exam example exhibit expert factor factory failure fairy falcon
  family fashion father fault feast feather feature fence ferry festival fever fiction field figure finger flag flame
  flavour flight flood floor flower fluid flute folder forest fork formula fortress fossil fountain fracture fragment
  freezer friend frog fruit fuel funeral furnace gallery game garage garden garlic garment gate gender generation genius
  gesture ghost giant giraffe girl glacier glass glove goal goat goddess gold gorilla gown grain grammar
  grape graph grass gravel grocery ground group guest guitar habit hairdresser hall hamster handbag handkerchief harbour
  hawk hazard headline heart hedge helicopter helmet herb highway hill hobby hockey holiday honey hook horizon horn
  horse hospital hotel hour house human hurricane husband icicle idea image incident income index industry
  injury insect instrument interview island item jacket jail jewel jockey journal journey judge juice jungle jury
  kangaroo kettle keyboard kidney kingdom kitchen kitten knee knight knot laboratory ladder lady lake lamp landlord lane
  language lantern laptop lawyer layer leader leaflet league leather lemon lesson letter library lid lightning lion lip
  liquid literature lizard lobby lobster locker logic lotion lounge lunch machine magazine magnet mansion manual marble
  margin market mask meadow meal meat mechanic medal medicine melody member memo message metal meter method microphone
  minister minute mirror missile mistake mixture mobile model monitor monkey monster monument mood motel mother
  motor mountain mouth muscle museum mushroom music musician mystery napkin nation needle neighbour nephew nerve network
  newspaper niece noise noodle nose notebook novel number nurse ocean office officer onion opera opinion orange
  orbit orchard orchestra organ orphan oven owner oxygen package paddle page palace panel paper parade paragraph parcel
  parent parrot partner party passage passenger passport pastry path patient pattern peach peanut pearl pebble pedal
  pencil penguin penny pepper period person petal phrase physician piano picnic picture piece pigeon pillow pilot
  pioneer pipe pirate pistol pizza planet plate platform player pocket poem poet police policy politician pond pony
  population porch portrait position possession poster pottery powder prayer president priest prince princess
  prison prisoner problem product profession professor profit project pudding pupil puppet puppy puzzle pyramid quality
  quarrel quarter queen queue rabbit radiator radio raincoat ranch razor receipt recipe region relative religion remedy
  reptile resort resource restaurant result ribbon rice rider rifle ring river road robot rocket roof room rooster root
  rope rose route rubber ruler sailor salad salary sample sandal sandwich satellite sauce saucer sausage scandal
  scene scholar school science scientist scissor scooter score screen screw script sculpture season seat secret section
  seed sentence sequence servant shadow shark sheet shell shepherd ship shirt shoe shop shore shoulder shovel
  shower shrimp sister skeleton skirt skull slave sleeve slipper slope snail snake soap society sock software soldier
  solution song soul soup source space spade spider spirit sponge spoon square squirrel stable stadium stage staircase
  star station statue steam steel stick stone storm story strategy strawberry stream street string student studio
  subject substance suburb subway sugar suit suitcase summit surface surgeon sweater symbol symptom system table tablet
  tail talent tank target task teacher team technique telescope temple tennis tent terrace theatre theme theory
  thread throat throne thumb ticket tiger tile timber tissue title toast toilet tongue tool topic torch
  tortoise tower town toy tractor tradition trail tram trap tray treasure tree tribe triumph trophy tunnel
  turkey turtle twin umbrella uncle uniform university vaccine valley value vegetable vehicle verse vessel veteran
  victim victory video village violin virus vitamin volume wagon waiter wallet walnut warehouse warrior weapon
  weather website wedding whale wheat wheel widow window winner wizard wood workshop worm wound wrist writer yacht
`);

export const ADJECTIVES = list(`
  able absent absolute abstract active actual adequate ancient angry anxious apparent automatic average awful awkward
  basic beautiful bitter blank blind bold brave brief bright brilliant broad busy calm capable careful careless casual
  central certain cheap cheerful chief civil classic clever cloudy clumsy coarse cold common complex confident conscious
  constant convenient cool corrupt costly crazy creative critical cruel curious daily damp dark decent deep delicate
  dense different difficult digital dirty distant domestic dramatic dull eager easy effective efficient elegant empty
  enormous entire equal essential evident exact excellent exclusive expensive explicit external extreme fair faithful
  familiar famous fancy fatal fierce final financial firm flexible fluent foolish foreign formal fortunate frequent fresh
  friendly full funny general generous gentle genuine gloomy gradual grand grateful great guilty handsome handy happy
  hard harsh healthy heavy helpful honest hostile huge humble hungry ideal identical ignorant immediate impatient
  important innocent intense internal jealous joyful keen kind large lazy legal likely liquid lively local lonely loose
  loud loyal lucky mad magical major massive mature medical mental mighty mild minor modern modest moral muddy musical
  mutual narrow nasty native natural neat nervous neutral noble noisy normal obvious odd official ordinary organic
  original painful pale passive peaceful perfect permanent personal physical plain pleasant polite political poor popular
  positive possible powerful precious precise pregnant previous primary private proper proud public pure quick quiet
  random rapid rare ready real recent regular reliable remote rich rigid romantic rough royal rude rural sacred safe
  scarce secure selfish sensible serious severe shallow sharp short shy sick silent silly similar simple sincere slight
  slow small smart smooth social soft solid special specific splendid stable steady steep sticky stiff strange strict
  strong stupid subtle sudden suitable sweet swift tall temporary tender terrible thick thin thirsty tight tiny tired
  total tough toxic tragic typical ugly unique urban urgent useful useless usual vague valid valuable vast verbal
  violent visible vital vivid weak wealthy weird wide wild wise wonderful worthy
`);
